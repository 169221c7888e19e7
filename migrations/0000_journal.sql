CREATE TABLE `artifact_chunks` (
	`session` integer NOT NULL,
	`artifact` text NOT NULL,
	`start` integer NOT NULL,
	`length` integer NOT NULL,
	`text` text NOT NULL,
	`hash` blob NOT NULL,
	PRIMARY KEY(`session`, `artifact`, `start`)
);
--> statement-breakpoint
CREATE TABLE `artifacts` (
	`place` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`call_id` text NOT NULL,
	`length` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `calls` (
	`session` integer NOT NULL,
	`id` text NOT NULL,
	`n` integer NOT NULL,
	`status` text NOT NULL,
	`tool` text NOT NULL,
	`provider_id` text NOT NULL,
	`turn_id` text NOT NULL,
	`message_id` text NOT NULL,
	`result_message_id` text,
	`owner` text,
	`declaration` text,
	`requested` integer NOT NULL,
	`args` integer,
	`hash` text,
	`decision` text,
	`attempts` integer NOT NULL,
	`epoch` integer,
	`requested_at` real NOT NULL,
	`dispatched_at` real,
	`settled_at` real,
	`others` text,
	PRIMARY KEY(`session`, `id`)
);
--> statement-breakpoint
CREATE TABLE `contents` (
	`id` integer PRIMARY KEY NOT NULL,
	`session` integer NOT NULL,
	`hash` blob NOT NULL,
	`body` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `contents_session_hash` ON `contents` (`session`,`hash`);--> statement-breakpoint
CREATE TABLE `entries` (
	`place` integer PRIMARY KEY NOT NULL,
	`at` real NOT NULL,
	`epoch` integer,
	`base` integer,
	`step` integer,
	`operation` text,
	`reason` text,
	`turn_id` text,
	`stage_before` text,
	`stage_after` text,
	`body` text NOT NULL,
	`short` text,
	`hash` blob NOT NULL
);
--> statement-breakpoint
CREATE TABLE `inputs` (
	`session` integer NOT NULL,
	`id` text NOT NULL,
	`seq` integer NOT NULL,
	`target` text,
	PRIMARY KEY(`session`, `id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `inputs_session_target` ON `inputs` (`session`,`target`) WHERE target is not null;--> statement-breakpoint
CREATE TABLE `leases` (
	`session` integer PRIMARY KEY NOT NULL,
	`epoch` integer NOT NULL,
	`owner` text,
	`host` text,
	`pid_namespace` text,
	`pid` integer,
	`process_start` text,
	`expires_at` integer
);
--> statement-breakpoint
CREATE TABLE `live` (
	`session` integer PRIMARY KEY NOT NULL,
	`body` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `messages` (
	`place` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`seq` integer NOT NULL,
	`turn_id` text,
	`kind` text NOT NULL,
	`audience` integer NOT NULL,
	`created_at` integer NOT NULL,
	`author` text NOT NULL,
	`parts` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `sessions` (
	`key` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text,
	`seq` integer NOT NULL,
	`hash` blob NOT NULL,
	`hidden_at` integer,
	`title` text,
	`workspace` text NOT NULL,
	`model` text NOT NULL,
	`lifecycle` text NOT NULL,
	`outcome` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`cost` real,
	`state` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_id_unique` ON `sessions` (`id`);
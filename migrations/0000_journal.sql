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
	`session` integer NOT NULL,
	`n` integer NOT NULL,
	`id` text NOT NULL,
	`call_id` text NOT NULL,
	`length` integer NOT NULL,
	PRIMARY KEY(`session`, `n`)
);
--> statement-breakpoint
CREATE INDEX `artifacts_session_id` ON `artifacts` (`session`,`id`);--> statement-breakpoint
CREATE TABLE `calls` (
	`session` integer NOT NULL,
	`id` text NOT NULL,
	`n` integer NOT NULL,
	`requested` integer NOT NULL,
	`args` integer,
	`state` text NOT NULL,
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
	`session` integer NOT NULL,
	`seq` integer NOT NULL,
	`text` text NOT NULL,
	`hash` blob NOT NULL,
	PRIMARY KEY(`session`, `seq`)
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
CREATE TABLE `messages` (
	`session` integer NOT NULL,
	`n` integer NOT NULL,
	`id` text NOT NULL,
	`seq` integer NOT NULL,
	`turn_id` text,
	`kind` text NOT NULL,
	`audience` integer NOT NULL,
	`created_at` integer NOT NULL,
	`author` text NOT NULL,
	`parts` integer NOT NULL,
	PRIMARY KEY(`session`, `n`)
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
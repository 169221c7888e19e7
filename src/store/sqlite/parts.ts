/** What the methods of a store are made of. */
import type { Hasher } from "../../core/content.ts";
import type { LeaseOwner } from "../../core/store.ts";
import type { Connection } from "./connection.ts";
import type { Contents } from "./contents.ts";
import type { KnownSessions } from "./known.ts";
import type { Loader } from "./load.ts";
import type { Save } from "./save.ts";
import type { Watchers } from "./watch.ts";

export interface StoreParts {
  readonly connection: Connection;
  readonly contents: Contents;
  readonly hasher: Hasher;
  readonly known: KnownSessions;
  readonly loader: Loader;
  readonly save: Save;
  readonly watchers: Watchers;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Whether a lease's owner was a process of this host that is no more. */
  readonly isGone: (owner: LeaseOwner) => boolean;
}

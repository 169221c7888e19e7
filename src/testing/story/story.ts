/** A story: one body that is performed in every mode, and what must come out of it. */
import type { Agent, ModeName } from "./agent.ts";
import type { StoryOptions } from "./options.ts";

export interface Story {
  readonly title: string;
  readonly body: (agent: Agent) => Promise<void>;
  readonly options: StoryOptions;
}

/** One way to perform a story: rejects if an assertion of the body or a standing check fails, or the transcript differs. */
export interface StoryMode {
  readonly name: ModeName;
  readonly run: () => Promise<void>;
}

export function story(title: string, body: Story["body"], options: StoryOptions = {}): Story {
  return { title, body, options };
}

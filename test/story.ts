/** Stories as tests of vitest: one test for each mode, so that a failure names its mode. */
import { describe, test } from "vitest";
import { story as define, storyModes } from "../src/testing/index.ts";
import type { Story, StoryOptions } from "../src/testing/index.ts";

/** A story has a limit of its own, and says where it hangs; this one is for a machine that has much else to do. */
const LONGEST_MS = 120_000;

export function story(title: string, body: Story["body"], options?: StoryOptions): void {
  describe(title, () => {
    for (const { name, run } of storyModes(define(title, body, options))) test(name, run, LONGEST_MS);
  });
}

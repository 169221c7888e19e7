/** Chooses the view of an output format. */
import { jsonView, streamJsonView } from "./json-view.ts";
import type { OutputFormat } from "./output.ts";
import type { RunView } from "./run-view.ts";
import { createTextView } from "./text-view.ts";

/** `lines`: where the text view prints what was committed. */
export function viewFor(format: OutputFormat, lines: "stderr" | "stdout"): RunView {
  switch (format) {
    case "text":
      return createTextView(lines);
    case "json":
      return jsonView;
    case "stream-json":
      return streamJsonView;
    default:
      return format satisfies never;
  }
}

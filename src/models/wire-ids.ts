/** The ids that calls had on the wire: a package that gives a repeated id a new one would hide that it was repeated. */
import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { z } from "zod";

/** What a chunk of chat-completions says of calls; the id stands where a call begins. */
const Chunk = z.object({
  choices: z.array(z.object({ delta: z.object({ tool_calls: z.array(z.object({ id: z.string().nullish() })) }) })),
});

export interface WireIds {
  /** The part with the id of the wire; raw chunks, which must come with the stream, are only read. */
  restored(part: LanguageModelV3StreamPart): LanguageModelV3StreamPart;
}

export function createWireIds(): WireIds {
  const wireIds = new Map<string, string>();
  let begun: string[] = [];
  return {
    restored(part) {
      if (part.type === "raw") begun = idsOf(part.rawValue);
      if (part.type === "tool-input-start") {
        const own = begun.indexOf(part.id);
        const [wireId] = begun.splice(Math.max(own, 0), 1);
        if (own < 0 && wireId !== undefined) wireIds.set(part.id, wireId);
      }
      if (part.type !== "tool-call") return part;
      return { ...part, toolCallId: wireIds.get(part.toolCallId) ?? part.toolCallId };
    },
  };
}

function idsOf(rawValue: unknown): string[] {
  const chunk = Chunk.safeParse(rawValue);
  if (!chunk.success) return [];
  const calls = chunk.data.choices.flatMap(({ delta }) => delta.tool_calls);
  return calls.flatMap(({ id }) => (id && id.trim() !== "" ? [id] : []));
}

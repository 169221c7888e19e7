/** Every request that the model got would be taken by its provider, with results in call order directly after their calls. */
import { wordsOf } from "../../../core/error.ts";
import type { SeenRequest } from "../../fake-model/seen.ts";
import type { FakeModel } from "../../fake-model/server.ts";

export function badRequests(model: Pick<FakeModel, "requests" | "assertClean">): readonly string[] {
  return [...complaints(model), ...model.requests.flatMap((request, at) => misplaced(request, at))];
}

function complaints(model: Pick<FakeModel, "assertClean">): readonly string[] {
  try {
    model.assertClean();
    return [];
  } catch (error) {
    return [wordsOf(error)];
  }
}

function misplaced({ messages }: SeenRequest, number: number): readonly string[] {
  return messages.flatMap((message, at) => {
    const asked = message.toolCalls.map(({ id }) => id).join(", ");
    const answered = (messages[at + 1]?.toolResults ?? []).map(({ id }) => id).join(", ");
    return asked === answered
      ? []
      : [`request ${number}: after the calls ${asked || "(none)"} come the results ${answered || "(none)"}`];
  });
}

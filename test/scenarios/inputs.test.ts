/** What a person types goes through the same door as everything else, and a cancel counts from the first moment. */
import { expect } from "vitest";
import { story } from "../story.ts";

const environment = { DEPLOY_TOKEN: "tok-4711-geheim" };

story(
  "a secret or half a character that a person types is never stored, in a prompt or in the reason of a denial",
  async (agent) => {
    agent.model.on("deploy with").calls("bash", { command: "true" });
    agent.model.on("denied").replies("I leave it.");
    await agent.prompt("deploy with tok-4711-geheim \ud83d now");
    await agent.deny(/bash/, "never use tok-4711-geheim");
    await agent.run();
    expect(await agent.transcript()).toMatchInlineSnapshot(`
      "user      deploy with [redacted:DEPLOY_TOKEN] � now
      assistant → bash {"command":"true"}
      denial    bash denied(human_rejected): The user denied this call: never use [redacted:DEPLOY_TOKEN]. Do not try the same again; find another way or ask the user.
      assistant I leave it.
      outcome   completed"
    `);
    expect(JSON.stringify(await agent.entries())).not.toContain("geheim");
  },
  { mode: "ask", environment },
);

story(
  "a cancel before anything was taken in leaves the prompt held and says cancelled, not that something was wrong",
  async (agent) => {
    const running = agent.start("hello");
    running.abort();
    expect((await running).outcome).toEqual({ status: "cancelled" });
    agent.model.on("hello").replies("Hi.");
    agent.model.on("again").replies("Hi again.");
    await agent.prompt("again");
    expect(agent.outcome).toEqual({ status: "completed" });
  },
);

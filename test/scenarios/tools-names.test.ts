/** Which tool a name means: the advertised one that it can only mean, or none, and then the model is told which there are. */
import { expect } from "vitest";
import { call } from "../../src/testing/index.ts";
import { story } from "../story.ts";
import { callsSent, withTools } from "./tool-kit.ts";

for (const protocol of ["anthropic", "openai-compatible"] as const) {
  story(
    `a name that differs in case, prefix or separator means the one tool that it can mean, on ${protocol}`,
    async (agent) => {
      agent.model
        .on("go")
        .says(
          [
            "READ-file",
            "readFile",
            "functions.read_file",
            "default_api:read_file",
            "tools/read_file",
            "mcp__files__search",
            "search",
            "files.search",
            "filesSearch",
          ].map((name) => call(name)),
        );
      agent.model.on("I am files__search").replies("All found.");
      await agent.prompt("go");
      expect(await agent.transcript()).toMatchInlineSnapshot(`
        "user      go
        assistant → read_file {}
                  → read_file {}
                  → read_file {}
                  → read_file {}
                  → read_file {}
                  → files__search {}
                  → files__search {}
                  → files__search {}
                  → files__search {}
        result    read_file ok: I am read_file
        result    read_file ok: I am read_file
        result    read_file ok: I am read_file
        result    read_file ok: I am read_file
        result    read_file ok: I am read_file
        result    files__search ok: I am files__search
        result    files__search ok: I am files__search
        result    files__search ok: I am files__search
        result    files__search ok: I am files__search
        assistant All found.
        outcome   completed"
      `);
      expect(new Set(callsSent(agent))).toEqual(new Set(["read_file {}", "files__search {}"]));
      agent.model.assertNothingLeft();
    },
    { protocol, pipeline: withTools("read_file", "files__search"), cuts: 2 },
  );

  story(
    `a name that means no tool or more than one runs nothing, and the next turn works, on ${protocol}`,
    async (agent) => {
      agent.model
        .on("go")
        .says(
          [
            "find",
            "READFILE",
            "search",
            "trash__search",
            "web_search",
            "read",
            "my tool: read!",
            "x".repeat(99),
            "!",
            "größe\ud83d",
          ].map((name) => call(name)),
        );
      agent.model.on("not available").replies("I see.");
      agent.model.on("next").replies("Yes.");
      await agent.prompt("go");
      await agent.prompt("next");
      expect(await agent.transcript()).toMatchInlineSnapshot(`
        "user      go
        assistant → find {}
                  → READFILE {}
                  → search {}
                  → trash__search {}
                  → web_search {}
                  → read {}
                  → my tool: read! {}
                  → xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx {}
                  → ! {}
                  → größe� {}
        result    find failed(tool_unavailable): The tool "find" is not available. Tools you can call: files__search, notes__search, readFile, read_file.
        result    READFILE failed(tool_unavailable): The tool "READFILE" is not available. Tools you can call: files__search, notes__search, readFile, read_file.
        result    search failed(tool_unavailable): The tool "search" is not available. Tools you can call: files__search, notes__search, readFile, read_file.
        result    trash__search failed(tool_unavailable): The tool "trash__search" is not available. Tools you can call: files__search, notes__search, readFile, read_file.
        result    web_search failed(tool_unavailable): The tool "web_search" is not available. Tools you can call: files__search, notes__search, readFile, read_file.
        result    read failed(tool_unavailable): The tool "read" is not available. Tools you can call: files__search, notes__search, readFile, read_file.
        result    my tool: read! failed(tool_unavailable): The tool "my tool: read!" is not available. Tools you can call: files__search, notes__search, readFile, read_file.
        result    xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx failed(tool_unavailable): The tool "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" is not available. Tools you can call: files__search, notes__search, readFile, read_file.
        result    ! failed(tool_unavailable): The tool "!" is not available. Tools you can call: files__search, notes__search, readFile, read_file.
        result    größe� failed(tool_unavailable): The tool "größe�" is not available. Tools you can call: files__search, notes__search, readFile, read_file.
        assistant I see.
        outcome   completed
        user      next
        assistant Yes.
        outcome   completed"
      `);
      agent.model.assertNothingLeft();
    },
    { protocol, pipeline: withTools("read_file", "readFile", "files__search", "notes__search"), cuts: 2 },
  );
}

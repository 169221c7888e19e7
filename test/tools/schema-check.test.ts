import { expect, test } from "vitest";
import type { JsonObject } from "../../src/core/json.ts";
import { schemaCheck } from "../../src/tools/schema-check.ts";

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: "object", properties, ...more });

test("a numeric string and a boolean string become what the schema asks for, at any depth", () => {
  const check = schemaCheck(
    object({
      count: { type: "integer" },
      ratio: { type: ["number", "null"] },
      on: { type: "boolean" },
      rows: { type: "array", items: { type: "object", properties: { "a/b": { type: "number" } } } },
    }),
  );
  expect(check({ count: "5", ratio: "-1.5e2", on: "false", rows: [{ "a/b": 1 }, { "a/b": "2" }] })).toEqual({
    ok: true,
    args: { count: 5, ratio: -150, on: false, rows: [{ "a/b": 1 }, { "a/b": 2 }] },
  });
});

test("a string stays a string wherever the schema accepts it", () => {
  const check = schemaCheck(
    object({ id: { anyOf: [{ type: "number" }, { type: "string" }] }, text: { type: "string" } }),
  );
  const args = { id: "5", text: "true" };
  expect(check(args)).toEqual({ ok: true, args });
});

test("what is not exactly a number, or would lose digits as one, is refused and not guessed", () => {
  const check = schemaCheck(object({ n: { type: "number" }, i: { type: "integer" } }));
  for (const args of [
    { n: "5 apples" },
    { n: "" },
    { n: "0x10" },
    { n: "12345678901234567890" },
    { i: "1.5" },
    { n: null },
    { n: true },
  ]) {
    expect(check(args).ok, JSON.stringify(args)).toBe(false);
  }
});

test("the arguments that were handed in are never changed", () => {
  const args = Object.freeze({ list: Object.freeze(["1", "2"]) });
  const check = schemaCheck(object({ list: { type: "array", items: { type: "number" } } }));
  expect(check(args)).toEqual({ ok: true, args: { list: [1, 2] } });
  expect(args).toEqual({ list: ["1", "2"] });
});

test("a problem says where, what was expected and what came", () => {
  const schema = object(
    {
      path: { type: "string" },
      mode: { enum: ["read", "write"] },
      at: object({ line: { type: "integer", minimum: 1 } }),
    },
    { required: ["path"], additionalProperties: false },
  );
  expect(schemaCheck(schema)({ mode: "append", at: { line: "0" }, pth: "x" })).toEqual({
    ok: false,
    problem: [
      'arguments: must have the property "path", and must not have the property "pth" (known: path, mode, at); got {"mode":"append","at":{"line":0},"pth":"x"}',
      'arguments.mode: must be one of ["read","write"]; got "append"',
      "arguments.at.line: must be >= 1; got 0",
    ].join("\n"),
  });
});

test("a choice that nothing fits names every alternative once", () => {
  const check = schemaCheck(object({ x: { anyOf: [{ type: "number" }, { type: "array" }] } }));
  expect(check({ x: "many" })).toEqual({
    ok: false,
    problem: 'arguments.x: must be number, or must be array; got "many"',
  });
});

test("a problem is bounded, however much is wrong, and well-formed Unicode", () => {
  const check = schemaCheck({ type: "object", additionalProperties: { type: "number" } });
  const args = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`key${at}`, "😀".repeat(5_000)]));
  const result = check(args);
  expect(result.ok).toBe(false);
  const problem = result.ok ? "" : result.problem;
  expect(problem.length).toBeLessThan(1_300);
  expect(problem).toContain("and 494 more problems");
  expect(problem).not.toMatch(/\p{Surrogate}/u);
});

test("draft-07 tuples and 2020-12 prefixItems are both understood, and unknown formats and keywords are ignored", () => {
  const draft07 = schemaCheck({
    $schema: "http://json-schema.org/draft-07/schema#",
    ...object({ pair: { type: "array", items: [{ type: "string" }, { type: "number" }] } }),
  });
  const draft2020 = schemaCheck({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    ...object({ pair: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }] } }),
  });
  const unnamed = schemaCheck(object({ pair: { type: "array", items: [{ type: "string" }, { type: "number" }] } }));
  for (const check of [draft07, draft2020, unnamed]) {
    expect(check({ pair: ["a", "1"] })).toEqual({ ok: true, args: { pair: ["a", 1] } });
    expect(check({ pair: [1, 1] }).ok).toBe(false);
  }
  expect(schemaCheck(object({ a: { type: "string", format: "no-such-format", "x-note": 1 } }))({ a: "b" }).ok).toBe(
    true,
  );
});

test("a pattern that only works without the unicode flag is accepted", () => {
  const check = schemaCheck(object({ name: { type: "string", pattern: "^[\\w-.]+$" } }));
  expect(check({ name: "a-b.c" }).ok).toBe(true);
  expect(check({ name: "a b" }).ok).toBe(false);
});

test("two schemas with the same $id do not disturb each other", () => {
  const schema = (type: string): JsonObject => ({ $id: "https://example.com/args", ...object({ a: { type } }) });
  expect(schemaCheck(schema("string"))({ a: "x" }).ok).toBe(true);
  expect(schemaCheck(schema("number"))({ a: "x" }).ok).toBe(false);
  expect(schemaCheck(schema("string"))({ a: "x" }).ok).toBe(true);
});

test("a schema that does not compile makes the check say so instead of throwing", () => {
  const check = schemaCheck(object({ a: { $ref: "#/$defs/missing" } }));
  expect(check({ a: 1 })).toEqual({ ok: false, problem: expect.stringContaining("not valid JSON Schema") });
  expect(schemaCheck({ type: "objekt" })({})).toEqual({
    ok: false,
    problem: expect.stringContaining("not valid JSON Schema"),
  });
});

test("the subject is taken from the arguments as they will run", () => {
  const check = schemaCheck(object({ line: { type: "number" } }), (args) => `line ${JSON.stringify(args["line"])}`);
  expect(check({ line: "7" })).toEqual({ ok: true, args: { line: 7 }, subject: "line 7" });
  expect(schemaCheck(object({}), () => undefined)({})).toEqual({ ok: true, args: {} });
});

test("arguments nested deeper than the stack allows are a problem, not a crash", () => {
  const schema: JsonObject = {
    $ref: "#/$defs/node",
    $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } } },
  };
  let args: JsonObject = {};
  for (let depth = 0; depth < 200_000; depth += 1) args = { next: args };
  expect(schemaCheck(schema)(args).ok).toBe(false);
});

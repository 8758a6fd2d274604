/** Tools of the reference server, and tokens of an authorization server that others wrote. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { EgressServer } from "./support/egress_server.ts";
import { EverythingServer } from "./support/everything_server.ts";
import { noAbort, toolsetOf } from "./support/toolsets.ts";

const TOOL = {
  type: "mcp",
  name: "everything",
  url: "https://tools.example.com/mcp",
  resources: true,
};

/** A toolset on the reference server; the visitor agrees to everything. */
async function open() {
  const everything = new EverythingServer();
  const server = new EgressServer((seen) => everything.answer(seen));
  const asked: string[] = [];
  const toolset = toolsetOf(server, [TOOL], {
    askVisitor: (message) => {
      asked.push(message);
      return Promise.resolve(true);
    },
  });
  const use = async (name: string, args: Record<string, unknown> = {}) =>
    JSON.stringify(await toolset.execute(name, args, noAbort()));
  return {
    ...{ everything, toolset, use, asked },
    [Symbol.asyncDispose]: async () => {
      await toolset.close();
      await server[Symbol.asyncDispose]();
      await everything[Symbol.asyncDispose]();
    },
  };
}

Deno.test("the reference server: tools are called, resources are read, and what is not a yes or no is declined", async () => {
  await using all = await open();
  const { use, toolset, asked } = all;
  const names = (await toolset.listTools(noAbort())).map(({ name }) => name);
  for (
    const name of ["echo", "get-sum", "everything_read_resource", "trigger-elicitation-request"]
  ) {
    assert(names.includes(name), `${name} among ${names}`);
  }
  assertEquals(await use("get-sum", { a: 2, b: 3 }), '{"content":"The sum of 2 and 3 is 5."}');
  assertMatch(await use("get-structured-content", { location: "Chicago" }), /"temperature":\d/);
  assertMatch(await use("get-tiny-image"), /\(image, image\/png, \d+ characters of base64\)/);
  const listed = await use("everything_list_resources");
  assertStringIncludes(listed, "demo://resource/dynamic/text/{resourceId}");
  const uri = "demo://resource/dynamic/text/1";
  assertStringIncludes(await use("everything_read_resource", { uri }), "Resource 1");
  assertMatch(await use("trigger-elicitation-request"), /declin/i);
  assertEquals(asked, []);
  assertEquals(toolset.notes, []);
});

Deno.test("the reference server: after its restart a call is repeated in a new session", async () => {
  await using all = await open();
  const { use, everything } = all;
  assertEquals(await use("echo", { message: "a" }), '{"content":"Echo: a"}');
  await everything.restart();
  assertEquals(await use("echo", { message: "b" }), '{"content":"Echo: b"}');
});

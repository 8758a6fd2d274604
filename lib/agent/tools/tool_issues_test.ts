import { assertEquals } from "@std/assert";
import { toolDefinitionSchema } from "../../schemas/tool_definition.ts";
import { httpTool } from "@/tests/support/agents.ts";
import { toolIssues } from "./tool_issues.ts";

const tool = (name: string, parameters: Record<string, unknown> = naming("q")) =>
  toolDefinitionSchema.parse(httpTool({ name, parameters }));

/** An object schema that names these arguments. */
function naming(...names: string[]) {
  return { type: "object", properties: Object.fromEntries(names.map((name) => [name, {}])) };
}

Deno.test("toolIssues: what is wrong is told with its path in the agent", async () => {
  const wrong = tool("b", { type: "object", properties: { a: { minimum: "1" } } });
  const issues = await toolIssues([tool("a"), wrong]);
  assertEquals(issues.map(({ path, code }) => [path, code]), [
    ["tools.1.parameters.properties.a.minimum", "invalid_schema"],
  ]);
});

Deno.test("toolIssues: a tool that stays as it is is not looked at again", async () => {
  const wrong = tool("b", { type: "object", properties: { a: { minimum: "1" } } });
  assertEquals(await toolIssues([tool("a"), wrong], { kept: [wrong] }), []);
  const renamed = { ...wrong, name: "c" };
  const issues = await toolIssues([wrong, renamed], { kept: [wrong] });
  assertEquals(issues.map(({ path }) => path), ["tools.1.parameters.properties.a.minimum"]);
});

Deno.test("toolIssues: others get their turn between two schemas", async () => {
  let turns = 0;
  const letOthersIn = () => {
    turns++;
    return Promise.resolve();
  };
  await toolIssues([tool("a"), tool("b"), tool("c")], { letOthersIn });
  assertEquals(turns, 2);
});

Deno.test("toolIssues: a placeholder in a text that nobody knows how to encode for is refused", async () => {
  const faultsOf = async (body: unknown, headers: Record<string, string>) => {
    const request = { method: "POST", headers, body };
    const parameters = naming("q", "a", "b", "type");
    const faults = await toolIssues([
      toolDefinitionSchema.parse(httpTool({ parameters }, request)),
    ]);
    return faults.map(({ path, code }) => `${path} ${code}`);
  };
  const refused = ["tools.0.request.body unknown_encoding"];
  for (const type of ["text/csv", "text/html", "{{type}}", "{{a}}/xml", "multipart/form-data"]) {
    const headers = { "Content-Type": type };
    assertEquals(await faultsOf("a,{{b}}", headers), refused, type);
    assertEquals(await faultsOf("a,{{ b }}", headers), [], type);
    assertEquals(await faultsOf("{{b}}", headers), [], type);
    assertEquals(await faultsOf({ a: "x {{b}}" }, headers), [], type);
  }
  const known = ["text/plain", "text/xml; charset=utf-8", "application/x-www-form-urlencoded"];
  for (const type of [...known, "application/vnd.api+json", "application/x-ndjson"]) {
    assertEquals(await faultsOf("a,{{b}}", { "content-type": type }), [], type);
  }
  assertEquals(await faultsOf("a,{{b}}", {}), []);
  const twice = { "content-type": "text/plain", "Content-Type": "text/csv" };
  assertEquals(await faultsOf("a,{{b}}", twice), refused);
});

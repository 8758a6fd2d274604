import { assertEquals } from "@std/assert";
import { findCommands } from "./find_commands.ts";

const COMMANDS = ["Agents", "API keys", "Create agent", "Create API key"].map((title) => ({
  kind: "Page",
  title,
  href: `/${title}`,
}));

Deno.test("findCommands: all words must be there, and titles that start with the query come first", () => {
  const titles = (query: string) => findCommands(COMMANDS, query).map(({ title }) => title);
  assertEquals(titles(""), ["Agents", "API keys", "Create agent", "Create API key"]);
  assertEquals(titles("agent"), ["Agents", "Create agent"]);
  assertEquals(titles("KEY"), ["API keys", "Create API key"]);
  assertEquals(titles("key cre"), ["Create API key"]);
  assertEquals(titles("create a"), ["Create agent", "Create API key"]);
  assertEquals(titles("nothing"), []);
});

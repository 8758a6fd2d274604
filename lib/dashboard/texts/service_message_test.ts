import { assert, assertEquals } from "@std/assert";
import { z } from "zod";
import german from "./german.json" with { type: "json" };
import { DEFAULT_QUOTAS, type QuotaName } from "../../schemas/limits.ts";
import { quotaMessage } from "../../store/tenants/quota_exceeded_error.ts";
import { withLanguage } from "./request_language.ts";
import { translateMessage } from "./service_message.ts";

const inGerman = (message: string) => withLanguage("de", () => translateMessage(message));

Deno.test("translateMessage: values and the path of a field stay, unknown messages are unchanged", () => {
  assertEquals(
    inGerman("tools.0.request.url: the host api.example is not in allowedDomains"),
    "tools.0.request.url: der Host api.example steht nicht in den erlaubten Domains",
  );
  assertEquals(
    inGerman("{{order}} is not among the tool's parameters"),
    "{{order}} ist kein Parameter des Tools",
  );
  assertEquals(inGerman("“a {b}.txt” is empty"), "„a {b}.txt“ ist leer");
  assertEquals(inGerman("the cat is on the mat"), "the cat is on the mat");
  assertEquals(translateMessage("is empty"), "is empty");
});

Deno.test("translateMessage: the messages of the schema library", () => {
  const schema = z.strictObject({
    short: z.string().min(3),
    long: z.string().max(3),
    one: z.enum(["a", "b"]),
    number: z.number(),
    low: z.number().min(3),
    high: z.number().max(3),
    list: z.array(z.string()).max(1),
    few: z.array(z.string()).min(1),
    id: z.uuid(),
    url: z.url(),
    form: z.string().regex(/^a$/),
  });
  const value = {
    ...{
      short: "a",
      long: "abcd",
      one: "c",
      number: "1",
      low: 1,
      high: 9,
      list: ["a", "b"],
      few: [],
    },
    ...{ id: "a", url: "a", form: "b" },
  };
  const { issues } = schema.safeParse(value).error!;
  assertEquals(issues.length, 11);
  assertEquals(issues.map(({ message }) => message).filter((one) => inGerman(one) === one), []);
});

Deno.test("translateMessage: every quota that a person can exceed in the dashboard", () => {
  for (const name of Object.keys(DEFAULT_QUOTAS) as QuotaName[]) {
    if (name === "agentVersions" || name.startsWith("conversation")) continue; // Only trimmed.
    for (const limit of [1, 2_000]) {
      for (const used of [1, 2]) {
        const message = quotaMessage(name, { used, limit, requested: 5 });
        assert(inGerman(message) !== message, message);
      }
    }
  }
});

/** Rooms whose messages the dashboard shows. */
const ROOMS = [
  "agent",
  "billing",
  "chat",
  "egress",
  "http",
  "knowledge",
  "providers",
  "schemas",
  "services",
];

Deno.test("german.json: its messages are those of the source", async () => {
  const sources = await readSources(ROOMS);
  const isOther = (message: string) => /^(the plan allows|Invalid|Too (big|small))/.test(message);
  const unknown = Object.keys(german.messages).filter((message) => {
    const parts = message.replace(/^the model provider (?=did|does|is |found|answered with)/, "")
      .split(/\{\w+\}|; (?=PDF)/).map((part) => part.replace(/^[ {}(]+|[ {}()]+$/g, ""));
    return !isOther(message) && !parts.every((part) => sources.includes(part));
  });
  assertEquals(unknown, []);
});

Deno.test("german.json: has every reason why a document, an address or a field is rejected", async () => {
  const sources = await readSources(["knowledge/ingest", "schemas"]);
  const literals = [
    ...sources.matchAll(/DocumentParseError\(\s*"\w+",\s*"([^"]+)"/g),
    ...sources.matchAll(/\babort\("([^"]+)"\)/g),
    ...sources.matchAll(/ctx\.addIssue\(\{[^}]*message: "([^"]+)"/g),
    ...sources.matchAll(/normalized\(\w+, "([^"]+)"\)/g),
  ].map(([, text]) => text!);
  assert(literals.length > 15, `${literals.length} messages`);
  assertEquals(literals.filter((text) => !Object.hasOwn(german.messages, text)), []);
});

/** The source of rooms without tests; literals that are joined by + are one. */
async function readSources(rooms: readonly string[]): Promise<string> {
  const texts: string[] = [];
  const visit = async (folder: URL) => {
    for await (const { name, isDirectory } of Deno.readDir(folder)) {
      if (isDirectory) await visit(new URL(`${name}/`, folder));
      else if (/(?<!_test)\.ts$/.test(name)) {
        texts.push(await Deno.readTextFile(new URL(name, folder)));
      }
    }
  };
  for (const room of rooms) await visit(new URL(`../../${room}/`, import.meta.url));
  return texts.join("\n").replace(/["`] \+\s*["`]/g, "").replaceAll('\\"', '"');
}

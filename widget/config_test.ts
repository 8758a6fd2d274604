import { assert, assertEquals } from "@std/assert";
import { isBound, readableTextColor, readConfig, type WidgetConfig } from "./config.ts";

const AGENT = "7d0e2f7c-4f65-4c8e-9a37-0a6f2b1f4c11";
const GOOD = {
  "data-api-base": "https://chat.example/",
  "data-agent-id": AGENT,
  "data-session-token": " cs_0123456789abcdef ",
};

function result(attributes: Record<string, string>) {
  return readConfig((name) => attributes[name] ?? null, "https://shop.example/page");
}

function read(attributes: Record<string, string>): WidgetConfig {
  const config = result({ ...GOOD, ...attributes });
  assert(!Array.isArray(config), "a valid tag");
  return config;
}

Deno.test("readConfig: the required attributes are enough, the rest have defaults", () => {
  assertEquals(read({}), {
    apiBase: "https://chat.example",
    agentId: AGENT,
    sessionToken: "cs_0123456789abcdef",
    sessionEndpoint: "",
    theme: "auto",
    side: "right",
    accent: "",
    title: "",
    avatar: "",
    privacyText: "",
    privacyUrl: "",
    lang: "",
    launcher: true,
    open: false,
    page: false,
    imageOrigins: [""],
  });
});

Deno.test("readConfig: all problems are reported together", () => {
  const problems = result({ "data-agent-id": "mine" });
  assertEquals(Array.isArray(problems) && problems.length, 2);
});

Deno.test("readConfig: an address that is not http(s) is rejected", () => {
  for (const base of ["javascript:alert(1)", "data:text/html,x", "file:///x", "https://"]) {
    assert(Array.isArray(result({ ...GOOD, "data-api-base": base })), base);
  }
});

Deno.test("readConfig: a base path stays, query and fragment are removed", () => {
  const { apiBase } = read({ "data-api-base": "/chat/?x=1#y" });
  assertEquals(apiBase, "https://shop.example/chat");
});

Deno.test("readConfig: reads every other setting from data attributes", () => {
  const config = read({
    "data-theme": "dark",
    "data-position": "bottom-left",
    "data-accent": "#aa33ff",
    "data-launcher": "hidden",
    "data-open": "",
    "data-session-endpoint": "/mint",
    "data-image-origins": "https://a.test, https://b.test",
  });
  assertEquals([config.theme, config.side, config.accent], ["dark", "left", "#aa33ff"]);
  assertEquals([config.launcher, config.open], [false, true]);
  assertEquals(config.sessionEndpoint, "https://shop.example/mint");
  assertEquals(config.imageOrigins, ["https://a.test", "https://b.test"]);
});

Deno.test("readConfig: an accent that is not a hex color is ignored", () => {
  assertEquals(read({ "data-accent": "red;background:url(//evil.example)" }).accent, "");
});

Deno.test("isBound: data-bind is on unless it is absent or off", () => {
  const of = (value: string | null) => isBound((name) => name === "data-bind" ? value : null);
  assertEquals([null, "off", " off "].map(of), [false, false, false]);
  assertEquals(["", "on", "true", "yes"].map(of), [true, true, true, true]);
});

Deno.test("readableTextColor: picks the more readable one of black and white", () => {
  assertEquals(["#0d6e63", "#000000"].map(readableTextColor), ["#fff", "#fff"]);
  assertEquals(["#ffd400", "#ffffff"].map(readableTextColor), ["#000", "#000"]);
});

/** The sources of the panel and the extras, which read some attributes themselves. */
async function readSources(): Promise<string> {
  const texts: string[] = [];
  const folders = [new URL("components/", import.meta.url), new URL("extras/", import.meta.url)];
  for (const folder of folders) {
    for await (const { name, isDirectory } of Deno.readDir(folder)) {
      if (isDirectory) folders.push(new URL(`${name}/`, folder));
      else texts.push(await Deno.readTextFile(new URL(name, folder)));
    }
  }
  texts.push(await Deno.readTextFile(new URL("components/Header.tsx", import.meta.url)));
  return texts.join("\n");
}

Deno.test("readConfig: docs/embedding.md lists exactly the attributes that it, the panel and the extras read", async () => {
  const names = new Set(["data-service-widget"]);
  const record = (name: string) => {
    names.add(name);
    return GOOD[name as keyof typeof GOOD] ?? "";
  };
  readConfig(record, "https://shop.example/page");
  isBound(record);
  for (const [, name] of (await readSources()).matchAll(/\bread\("(data-[\w-]+)"\)/g)) {
    names.add(name!);
  }
  const page = await Deno.readTextFile(new URL("../docs/embedding.md", import.meta.url));
  const rows = [...page.matchAll(/^\| `(data-[\w-]+)` +\|/gm)].map(([, name]) => name!);
  assertEquals(rows.toSorted(), [...names].sort());
});

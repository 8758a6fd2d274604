import { assert, assertEquals } from "@std/assert";
import { brotliCompressSync, gunzipSync, gzipSync } from "node:zlib";
import { describeScript } from "../lib/store/script_bundle.ts";
import { buildClient, buildWidget } from "./bundle_widget.ts";
import { compressScript } from "./compress_script.ts";

const ROOT = new URL("../", import.meta.url).pathname;
const KB = 1000;

/** Bytes of gzip. */
const LIMITS = { launcher: 7 * KB, panel: 18 * KB, together: 36 * KB };

/** Without zod. */
const SCHEMAS = ["lib/schemas/frame_decoder.ts", "lib/schemas/used_sources.ts"];

const gzip = ({ bytes }: { bytes: Uint8Array }) => gzipSync(bytes).length;
/** As the service sends them: the build compresses scripts, and texts are compressed when requested. */
const sentSize = async ({ bytes }: { bytes: Uint8Array }) => (await compressScript(bytes)).length;
const brotli = ({ bytes }: { bytes: Uint8Array }) => brotliCompressSync(bytes).length;

Deno.test("the widget stays within its bytes: the launcher, the panel, and all that a browser can load", async () => {
  const { launcher, panel, extras, texts } = await buildWidget();
  assert(gzip(launcher) <= LIMITS.launcher, `launcher: ${gzip(launcher)}`);
  assert(gzip(panel) <= LIMITS.panel, `panel: ${gzip(panel)}`);
  const languages: Record<string, string> = JSON.parse(new TextDecoder().decode(texts.bytes));
  // A page has one language at a time.
  const largest = Math.max(
    ...Object.entries(languages).map(([lang, text]) =>
      gzipSync(JSON.stringify({ [lang]: text }), { level: 9 }).length
    ),
  );
  const sizes = await Promise.all([launcher, panel, extras].map(sentSize));
  const together = sizes.reduce((sum, size) => sum + size, largest);
  assert(together <= LIMITS.together, `together: ${together}`);
  assert(brotli(launcher) <= 6.3 * KB && brotli(panel) <= 16 * KB, "brotli");
  assert(launcher.bytes.length <= 15 * KB && panel.bytes.length <= 39 * KB, "raw");
});

Deno.test("compressScript: is what zlib reads, smaller than zlib's best, and the same each time", async () => {
  const { bytes } = buildClient();
  const compressed = await compressScript(bytes);
  assertEquals(new Uint8Array(gunzipSync(compressed)), bytes);
  assert(compressed.length < gzipSync(bytes, { level: 9 }).length);
  assertEquals(await compressScript(bytes), compressed);
});

Deno.test("the widget is made of widget/ and schema-free lib/schemas files only", async () => {
  const { launcher, panel, extras } = await buildWidget();
  for (const input of [...launcher.inputs, ...panel.inputs, ...extras.inputs]) {
    assert(
      input.startsWith("widget/") || SCHEMAS.includes(input),
      `${input} does not belong into the widget`,
    );
  }
  // The extras are drawn by the panel.
  assert(!extras.inputs.includes("widget/render.ts"));
});

Deno.test("the launcher has the name and the hash of its panel, that of its extras, and they of their texts", async () => {
  const { launcher, panel, extras, texts } = await buildWidget();
  for (
    const [name, file, later] of [
      ["widget-panel", launcher, panel],
      ["widget-extras", panel, extras],
    ] as const
  ) {
    const source = new TextDecoder().decode(file.bytes);
    const { hash12, integrity } = await describeScript(later.bytes);
    assert(source.includes(`"${name}.v1.${hash12}.js"`), name);
    assert(source.includes(`"${integrity}"`), name);
  }
  const { hash12 } = await describeScript(texts.bytes);
  const source = new TextDecoder().decode(extras.bytes);
  assert(source.includes(`widget-texts.v1.${hash12}.json`), "the texts");
});

Deno.test("the three files have the same short names for what they share", async () => {
  const { launcher, panel, extras } = await buildWidget();
  const sharedBy = (a: typeof panel, b: typeof panel) => {
    const shared = Object.keys(a.mangled).filter((name) => name in b.mangled);
    for (const name of shared) assertEquals(a.mangled[name], b.mangled[name], name);
    return shared;
  };
  const first = sharedBy(launcher, panel);
  assert(first.includes("conversation") && first.includes("loadFile"));
  const second = sharedBy(panel, extras);
  assert(second.includes("conversation") && second.includes("changed"));
});

Deno.test("the client is files that the panel is made of, and a face of a hundred lines", async () => {
  const own = ["widget/client/client.ts", "widget/client/pause.ts"];
  const { bytes, inputs } = buildClient();
  const shared = inputs.filter((input) => !own.includes(input));
  const { panel } = await buildWidget();
  assertEquals(shared.filter((input) => !panel.inputs.includes(input)), []);
  assertEquals(shared.includes("widget/client/chat_run.ts"), true);
  assert(bytes.length <= 5 * 1024, "raw");
});

Deno.test("the widget's bytes are the same in another folder", async () => {
  const other = await Deno.makeTempDir();
  try {
    await copyTree(`${ROOT}widget`, `${other}/widget`);
    await copyTree(`${ROOT}lib/schemas`, `${other}/lib/schemas`);
    await Deno.symlink(`${ROOT}node_modules`, `${other}/node_modules`);
    const [there, here] = [await buildWidget({ root: other }), await buildWidget()];
    assertEquals(there.launcher.bytes, here.launcher.bytes);
    assertEquals(there.panel.bytes, here.panel.bytes);
    assertEquals(there.extras.bytes, here.extras.bytes);
    assertEquals(buildClient({ root: other }).bytes, buildClient().bytes);
  } finally {
    await Deno.remove(other, { recursive: true });
  }
});

Deno.test("all files are classic scripts that name no folder, and only the launcher loads files", async () => {
  const { launcher, panel, extras } = await buildWidget();
  const decode = (bytes: Uint8Array) => new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  for (const source of [launcher, panel, extras].map(({ bytes }) => decode(bytes))) {
    for (const unwanted of [ROOT, "node_modules", "sourceMappingURL", "localStorage"]) {
      assert(!source.includes(unwanted), `${unwanted} in the bundle`);
    }
    new Function(source);
  }
  for (const { bytes } of [panel, extras]) assert(!decode(bytes).includes("import("));
  assertEquals(decode(launcher.bytes).match(/import\(/g)?.length, 1);
});

async function copyTree(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) await copyTree(`${from}/${name}`, `${to}/${name}`);
    else await Deno.copyFile(`${from}/${name}`, `${to}/${name}`);
  }
}

import { assert, assertEquals } from "@std/assert";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { buildClient, buildWidget, bundleWidget } from "./bundle_widget.ts";

const ROOT = new URL("../", import.meta.url).pathname;
const KIB = 1024;

Deno.test("the widget stays within 18 KiB of brotli, 20 KiB of gzip and 46 KiB as it is", async () => {
  const bytes = await bundleWidget();
  assert(bytes.length <= 46 * KIB, "raw");
  assert(brotliCompressSync(bytes).length <= 18 * KIB, "brotli");
  assert(gzipSync(bytes).length <= 20 * KIB, "gzip");
});

Deno.test("the widget is made of widget/, schema-free lib/schemas files and Preact only", () => {
  const preact = /^node_modules\/(\.deno\/preact@[\d.]+\/node_modules\/)?preact\//;
  for (const input of buildWidget().inputs) {
    assert(
      input.startsWith("widget/") || input === "lib/schemas/frame_decoder.ts" || preact.test(input),
      `${input} does not belong into the widget`,
    );
  }
});

Deno.test("the client is files that the widget is made of, and a face of a hundred lines", () => {
  const own = ["widget/client/client.ts", "widget/client/pause.ts"];
  const { bytes, inputs } = buildClient();
  const shared = inputs.filter((input) => !own.includes(input));
  assertEquals(shared.filter((input) => !buildWidget().inputs.includes(input)), []);
  assertEquals(shared.includes("widget/client/chat_run.ts"), true);
  assert(bytes.length <= 5 * KIB, "raw");
});

Deno.test("the widget's bytes are the same in another folder", async () => {
  const other = await Deno.makeTempDir();
  try {
    await copyTree(`${ROOT}widget`, `${other}/widget`);
    await copyTree(`${ROOT}lib/schemas`, `${other}/lib/schemas`);
    await Deno.symlink(`${ROOT}node_modules`, `${other}/node_modules`);
    assertEquals(await bundleWidget({ root: other }), await bundleWidget());
    assertEquals(buildClient({ root: other }).bytes, buildClient().bytes);
  } finally {
    await Deno.remove(other, { recursive: true });
  }
});

Deno.test("the widget is one classic script that names no folder and loads nothing more", async () => {
  const source = new TextDecoder("utf-8", { fatal: true }).decode(await bundleWidget());
  for (const unwanted of [ROOT, "node_modules", "import(", "sourceMappingURL", "localStorage"]) {
    assert(!source.includes(unwanted), `${unwanted} in the bundle`);
  }
  new Function(source);
});

async function copyTree(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) await copyTree(`${from}/${name}`, `${to}/${name}`);
    else await Deno.copyFile(`${from}/${name}`, `${to}/${name}`);
  }
}

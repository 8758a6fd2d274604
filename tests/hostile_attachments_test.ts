/** Hostile files as attachments: a clear answer for each, no 5xx, and a service that stays up. */
import { assert, assertEquals } from "@std/assert";
import { sendFile } from "./support/attachments.ts";
import { expectJson } from "./support/expect_response.ts";
import { contentOf, HOSTILE_FILES } from "./support/hostile_files.ts";
import { HOSTILE_PDFS } from "./support/hostile_pdfs.ts";
import { IMAGES, join, makePng, pngChunk, segment } from "./support/make_image.ts";
import { SeededRandom } from "./support/fuzz/seeded_random.ts";
import { TestService } from "./support/service.ts";

async function open(options: { workers?: boolean } = {}) {
  const service = await TestService.start(options);
  const key = await service.key();
  const agent = await service.agent(key, { attachments: { images: true, documents: true } });
  const send = (bytes: Uint8Array<ArrayBuffer>, name = "x") =>
    sendFile(service, { key, agentId: agent.id }, { bytes, name });
  return { service, send };
}

Deno.test("POST /v1/chat/attachments: each of 60 hostile files gets an answer, and the service stays up", async (t) => {
  const { service, send } = await open();
  await using _ = service;
  for (const file of HOSTILE_FILES) {
    await t.step(file.name, async () => {
      const response = await send(await contentOf(file), file.name);
      const body = await response.json();
      assert([201, 400, 413, 415].includes(response.status), `${response.status} ${body.message}`);
      if (response.status !== 201) assert(body.message.length > 10);
    });
  }
  assertEquals((await expectJson(await service.fetch("/healthz"), 200)).status, "ok");
  assertEquals(service.logged.filter((line) => line.includes('"level":"error"')), []);
});

Deno.test("POST /v1/chat/attachments: where no process can start, PDFs and long texts are rejected, images are not", async () => {
  const { service, send } = await open({ workers: false });
  await using _ = service;
  for (const pdf of HOSTILE_PDFS.slice(1, 3)) {
    assertEquals((await send(await contentOf(pdf))).status, 400);
  }
  assertEquals((await send(join("a".repeat(129 * 1024)))).status, 400);
  assertEquals((await send(join("short"))).status, 201);
  const padded = makePng({ extra: [pngChunk("zTXt", "x".repeat(2_000_000))] });
  assertEquals((await send(padded)).status, 201);
});

Deno.test("POST /v1/chat/attachments: images with huge sizes, nested and endless parts are rejected in time", async () => {
  const { service, send } = await open();
  await using _ = service;
  const huge = [
    ...Object.values(IMAGES).map((make) => make({ width: 60_000, height: 60_000 })),
    join("RIFF", [0xff, 0xff, 0xff, 0x7f], "WEBP"),
    join("RIFF", [4, 0, 0, 0], "WEBP"),
    join("GIF89a", [1, 0, 1, 0, 0, 0, 0], Array(200_000).fill(0x21)),
    join([0xff, 0xd8], Array(200_000).fill(0xff)),
    join([0xff, 0xd8], ...Array.from({ length: 3_000 }, () => segment(0xe1, "Exif\0\0"))),
    makePng({ extra: Array.from({ length: 21_000 }, () => pngChunk("tEXt")) }),
  ];
  for (const bytes of huge) assertEquals((await send(bytes)).status, 400);
});

Deno.test("POST /v1/chat/attachments: 300 damaged images are accepted or a 400, never more", async () => {
  const { service, send } = await open();
  await using _ = service;
  const dice = new SeededRandom(4_711);
  for (let n = 0; n < 300; n++) {
    const bytes = dice.pick(Object.values(IMAGES))();
    for (let left = dice.int(1, 8); left > 0; left--) {
      bytes[dice.int(0, bytes.length - 1)] = dice.int(0, 255);
    }
    const response = await send(bytes);
    const text = await response.text();
    assert([201, 400, 415].includes(response.status), text);
  }
  assertEquals(service.logged.filter((line) => line.includes('"level":"error"')), []);
});

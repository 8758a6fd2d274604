/** Documents that expand without limit: their processes and memory are released. */
import { assert, assertEquals } from "@std/assert";
import { expectJson } from "./support/expect_response.ts";
import { openKnowledge } from "./support/knowledge.ts";
import { bombPdf, endlessPdf } from "./support/make_pdf.ts";
import { exists, isGoneWithin, untilWorking } from "./support/worker.ts";

const MIB = 1_048_576;

Deno.test("two PDFs of 1.5 GiB of text fail, and their processes and memory are released within 2 s", async () => {
  await using setup = await openKnowledge();
  const { service, upload, settled } = setup;
  await settled(await upload("fine.txt", "words"));
  const bomb = await bombPdf(1_536);
  const before = Deno.memoryUsage().rss;
  const answers = await Promise.all([1, 2].map((n) => upload(`bomb ${n}.pdf`, bomb)));
  const pids = await untilWorking(service.service.workers, 2);
  const documents = await Promise.all(answers.map(settled));
  for (const { state, error } of documents) {
    assertEquals([state, error?.code], ["failed", "too_complex"]);
  }
  for (const pid of pids) assert(await isGoneWithin(pid, 2_000));
  assert(Deno.memoryUsage().rss - before < 200 * MIB);
  assertEquals((await expectJson(await service.fetch("/healthz"), 200)).status, "ok");
});

Deno.test("a PDF that draws without end: closing the service ends its process and requeues the document", async () => {
  await using setup = await openKnowledge();
  const { service, upload, get } = setup;
  const { id } = await expectJson(await upload("endless.pdf", endlessPdf()), 201);
  const [pid] = await untilWorking(service.service.workers, 1);
  await service.service.documents.close();
  assert(!await exists(pid!));
  assertEquals((await expectJson(await get(`/documents/${id}`), 200)).state, "processing");
});

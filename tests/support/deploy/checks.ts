import { docx, wordParagraph } from "../office_files.ts";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { readFrames, textOf } from "../frames.ts";
import type { MockProviders } from "../mock_providers/mock_providers.ts";
import type { DeployedProcess } from "./deployed_process.ts";
import { MEMORY_BYTES, STOP_MS } from "./platform.ts";
import type { Visit } from "./visit.ts";

/**
 * Runs a named check, which may return a measurement. The rehearsal counts checks; a test runs them as
 * steps.
 */
export type Check = (name: string, run: () => Promise<string | void>) => Promise<void>;

interface Deployed {
  visit: Visit;
  process: DeployedProcess;
  mock: MockProviders;
}

const never = new Promise<never>(() => {});
/** Checks a first visit, and what the platform does not support. Returns the agent's id. */
export async function checkService(check: Check, { visit, mock }: Deployed): Promise<string> {
  let agent = "";
  await check("an empty dashboard asks for set-up, with the token of the settings", async () => {
    const answer = await visit.page("/home");
    await answer.body?.cancel();
    assertEquals([answer.status, answer.headers.get("location")], [303, "/setup"]);
    await visit.setUp();
  });
  await check("the sign-in page is served, with its style and script", async () => {
    const answer = await visit.page("/sign-in", { stranger: true });
    const html = await answer.text();
    assertEquals(answer.status, 200);
    const files = [...html.matchAll(/(?:href|src)="(\/[^"?]+\.(?:css|js)[^"]*)"/g)];
    assert(files.length > 0);
    for (const [, path] of files) {
      const file = await visit.page(path!.replaceAll("&amp;", "&"));
      await file.body?.cancel();
      assertEquals(file.status, 200, path);
    }
  });
  await check("an API key is made by its form", () => visit.makeKey());
  await check("an agent is made by the API", async () => {
    agent = await visit.agent("mid");
  });
  await check("a chat streams its answer to its end", async () => {
    mock.next({ say: [{ text: "Hello " }, { text: "there." }] });
    const frames = await readFrames(await visit.chat(agent));
    assertEquals([textOf(frames), frames.at(-1)?.frame.type], ["Hello there.", "done"]);
  });
  await check("a visitor's session chats from its page", async () => {
    mock.next({ say: [{ text: "Welcome." }] });
    assertEquals(textOf(await readFrames(await visit.widgetChat(agent))), "Welcome.");
  });
  await check("the widget and the client are served", async () => {
    for (const path of ["/widget.v1.js", "/client.v1.js"]) {
      const answer = await visit.page(path);
      assert((await answer.text()).length > 1_000);
      assertEquals(answer.status, 200);
    }
  });
  return agent;
}

export async function checkKnowledge(check: Check, { visit }: Deployed): Promise<void> {
  const base = await visit.knowledgeBase();
  await check("a text document is read, and found by a search", async () => {
    const file = new File(["Refunds take fourteen days."], "refunds.txt");
    const document = await visit.processed(base, await visit.upload(base, file));
    assertEquals(document.state, "ready");
    const answer = await visit.api(`${base}/search`, { query: "Can I get a refund?" });
    assertEquals((await answer.json()).passages[0]?.text, "Refunds take fourteen days.");
  });
  await check(
    "a text whose language only a detector tells is read, and found in another form",
    async () => {
      const file = new File(["Blue bicycles"], "bicycles.txt");
      const document = await visit.processed(base, await visit.upload(base, file));
      assertEquals(document.state, "ready");
      const answer = await visit.api(`${base}/search`, { query: "bicycle" });
      assertEquals((await answer.json()).passages[0]?.text, "Blue bicycles");
    },
  );
  await check(
    "a Word document is read in the service, because no process can be started",
    async () => {
      const file = new File([docx(wordParagraph("Parcels arrive on Tuesdays."))], "parcels.docx");
      const document = await visit.processed(base, await visit.upload(base, file));
      assertEquals(document.state, "ready");
      const answer = await visit.api(`${base}/search`, { query: "When do parcels arrive?" });
      assertEquals((await answer.json()).passages[0]?.text, "Parcels arrive on Tuesdays.");
    },
  );
  await check("a PDF is rejected by name, because no process can be started", async () => {
    const file = new File(["%PDF-1.4\n%%EOF\n"], "terms.pdf", { type: "application/pdf" });
    const document = await visit.processed(base, await visit.upload(base, file));
    assertEquals(document.state, "failed");
    assertStringIncludes(
      JSON.stringify(document),
      "PDFs, spreadsheets, presentations and books cannot be read on this server",
    );
  });
  await check(
    "a document beyond 128 KiB is rejected, and the response states the limit",
    async () => {
      const file = new File(["word ".repeat(30_000)], "long.txt");
      const answer = await visit.upload(base, file);
      assertStringIncludes(await answer.text(), "at most 128 KiB");
      assertEquals(answer.status, 413);
    },
  );
}

/** Stops the process while answers stream; each of them must end properly. */
export async function checkStop(
  check: Check,
  { visit, process, mock, agent, streams: count = 10 }: Deployed & {
    agent: string;
    streams?: number;
  },
): Promise<void> {
  await check(`SIGINT: ${count} open streams all end with their error and done`, async () => {
    const asked = mock.requests.length;
    const answers = Array.from({ length: count }, () => {
      mock.next({ say: [{ text: "Hm," }, { wait: never }] });
      return visit.chat(agent);
    });
    const open = await Promise.all(answers);
    assertEquals(open.map(({ status }) => status), Array(count).fill(200));
    const streams = open.map(readFrames);
    await mock.asked(asked + count);
    const stopping = process.stop();
    const ends = (await Promise.all(streams)).map((frames) =>
      frames.slice(-2).map(({ frame }) => frame.type === "error" ? frame.code : frame.type)
    );
    assertEquals(ends, Array(count).fill(["run_interrupted", "done"]));
    const { status, killed, ms } = await stopping;
    assertEquals([killed, status.code], [false, 0]);
    assert(ms < STOP_MS, `${ms} ms`);
    return `${(ms / 1_000).toFixed(1)} s`;
  });
}

/** Concurrent requests near their size limits: 24 uploads and 32 JSON bodies. */
export async function checkLoad(check: Check, { visit }: Deployed): Promise<void> {
  await check("24 uploads and 32 large bodies at once are all answered", async () => {
    await visit.makeKey();
    const base = await visit.knowledgeBase();
    const file = new File(["word and sentence. ".repeat(6_800)], "long.txt");
    const large = { agentId: "none", messages: [{ role: "user", content: "x".repeat(1_000_000) }] };
    const statuses = await Promise.all([
      ...Array.from({ length: 24 }, () => visit.upload(base, file)),
      ...Array.from({ length: 32 }, () => visit.api("/v1/chat/stream", large)),
    ].map(async (sent) => {
      const answer = await sent;
      await answer.body?.cancel();
      return answer.status;
    }));
    assertEquals(statuses.slice(0, 24), Array(24).fill(201));
    assert(statuses.slice(24).every((status) => [400, 413, 503].includes(status)), `${statuses}`);
  });
}

export async function checkMemory(check: Check, process: DeployedProcess): Promise<void> {
  await check("the process has held at most 512 MB", async () => {
    const bytes = await process.peakBytes();
    const megabytes = `${Math.round(bytes / 1e6)} MB`;
    assert(bytes <= MEMORY_BYTES, megabytes);
    return megabytes;
  });
}

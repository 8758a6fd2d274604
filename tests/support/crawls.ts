import type { WebSource, WebSourceBody, WebSourceReport } from "@/lib/schemas/web_source.ts";
import { expectJson } from "./expect_response.ts";
import { openKnowledge } from "./knowledge.ts";
import type { TestServiceOptions } from "./service.ts";

/** Pauses between requests are shorter, time limits longer. */
const LONGEST_PAUSE_MS = 3_000;

/** A clock that jumps over pauses; time limits wait until the test lets them pass. */
export function crawlClock() {
  let now = Date.UTC(2026, 0, 15, 12);
  let waiting: { ms: number; pass: () => void }[] = [];
  const pauses: number[] = [];
  const sleep = (ms: number, signal?: AbortSignal): Promise<void> => {
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (ms <= LONGEST_PAUSE_MS) {
      pauses.push(ms);
      now += ms;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const mine = { ms, pass: resolve };
      waiting.push(mine);
      signal?.addEventListener("abort", () => {
        waiting = waiting.filter((one) => one !== mine);
        reject(signal.reason);
      }, { once: true });
    });
  };
  return {
    runtime: { now: () => now, sleep },
    pauses,
    advance: (ms: number) => now += ms,
    /** Ends the waits for requests in progress. */
    passTimeouts(maxMs: number) {
      const due = waiting.filter(({ ms }) => ms <= maxMs);
      waiting = waiting.filter(({ ms }) => ms > maxMs);
      for (const { pass } of due) pass();
    },
  };
}

/** A service that may crawl loopback addresses, and whose crawls take no time. */
export async function openCrawls(options: TestServiceOptions = {}) {
  const clock = crawlClock();
  const knowledge = await openKnowledge({
    runtime: clock.runtime,
    env: { EGRESS_ALLOW: "127.0.0.1" },
    ...options,
  });
  const { service, key, of, get } = knowledge;
  const idle = async () => {
    await service.service.crawls.whenIdle();
    await service.service.documents.whenIdle();
  };
  const call = (method: string, path: string, json?: unknown) =>
    service.fetch(of(`/sources${path}`), {
      ...{ method, key },
      ...json !== undefined && { json },
    });
  const report = async (id: string): Promise<WebSourceReport> =>
    await expectJson(await get(`/sources/${id}?limit=100`), 200);
  return {
    ...{ ...knowledge, clock, call, idle, report },
    /** Adds a source and waits for its crawl. */
    async crawl(url: string, body: Partial<WebSourceBody> = {}): Promise<WebSourceReport> {
      const created: WebSource = await expectJson(
        await call("POST", "", { url, kind: "site", ...body }),
        201,
      );
      await idle();
      return await report(created.id);
    },
    async refresh(id: string): Promise<WebSourceReport> {
      await expectJson(await call("POST", `/${id}/refresh`), 202);
      await idle();
      return await report(id);
    },
    /** The titles of what is found, best first. */
    async search(
      query: string,
    ): Promise<{ documentId: string; title: string; url?: string; text: string }[]> {
      const answer = await service.fetch(of("/search"), { method: "POST", key, json: { query } });
      return (await expectJson(answer, 200)).passages;
    },
    async documents(): Promise<{ id: string; title: string; url?: string; state: string }[]> {
      return (await expectJson(await get("/documents?limit=100"), 200)).data;
    },
    [Symbol.asyncDispose]: () => knowledge[Symbol.asyncDispose](),
  };
}

/** The reason or state of each page by its path. */
export function outcomes({ pages }: WebSourceReport): Record<string, string> {
  const entries = pages.map(({ url, state, reason }) => {
    const { pathname, search } = new URL(url);
    return [pathname + search, reason ?? state] as const;
  });
  return Object.fromEntries(entries.sort(([a], [b]) => a < b ? -1 : 1));
}

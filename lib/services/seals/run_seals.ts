import { createHash } from "node:crypto";
import { readSeal } from "../../chat/seals/stored_seal.ts";
import { base64url } from "../../platform/crypto/signer.ts";
import { isoTime, type Runtime } from "../../platform/runtime.ts";
import { ApiError } from "../../schemas/api_error.ts";
import type { RunSeal, SealKey } from "../../schemas/run_seal.ts";
import type {
  SealedEndLine,
  SealedExportLine,
  SealedRunLine,
} from "../../schemas/sealed_export.ts";
import type { ConversationFilter } from "../../store/conversations/conversation_filter.ts";
import type {
  ConversationStore,
  RunWithTranscript,
} from "../../store/conversations/conversation_store.ts";
import { framesOf } from "../../store/conversations/frame_layout.ts";
import type { ContentCipher } from "../../store/encryption/content_cipher.ts";
import { type ConversationName } from "../../store/keys/keys.ts";
import type { RunRecord } from "../../store/runs/run_record.ts";
import type { SigningKeys } from "../../store/signing/signing_keys.ts";
import type { ConversationService } from "../conversation_service.ts";
import { exportText } from "./export_signature.ts";

/** Runs in memory at a time. */
const PAGE_SIZE = 20;

interface RunSealsDeps {
  signing: SigningKeys;
  content: ContentCipher;
  runtime: Pick<Runtime, "now">;
  store: Pick<ConversationStore, "find" | "listRuns" | "readRunRecords">;
  conversations: Pick<ConversationService, "get">;
}

/** What the service has signed about runs. Methods throw `ApiError`. */
export class RunSeals {
  readonly #deps: RunSealsDeps;

  constructor(deps: RunSealsDeps) {
    this.#deps = deps;
  }

  /** The public keys, oldest first; the last one signs. */
  get keys(): readonly SealKey[] {
    return this.#deps.signing.published;
  }

  /** The seal of an ended run; 404 if it has none. */
  async get(run: RunRecord): Promise<RunSeal> {
    const found = await this.#read(run);
    if (found === undefined) throw new ApiError("not_found", "this run has no seal");
    return found.seal;
  }

  #read(run: RunRecord): ReturnType<typeof readSeal> {
    const { content, signing } = this.#deps;
    return readSeal(run, { content, keyIds: signing.published.map(({ kid }) => kid) });
  }

  /**
   * A stored conversation with the seals of its runs, as JSON lines; the last one is signed and covers all
   * others. 404 for one that the tenant does not have.
   */
  async export(
    tenant: string,
    id: string,
    filter: ConversationFilter,
  ): Promise<AsyncGenerator<string>> {
    const { store, conversations, runtime } = this.#deps;
    const page = { limit: 1 };
    const { runs: _runs, handoff: _handoff, nextCursor: _next, ...conversation } =
      await conversations.get(tenant, id, { filter, page });
    const found = await store.find(tenant, id, filter);
    if (found === undefined) throw new ApiError("not_found", "there is no such conversation");
    const name = { tenant, id, agentId: found.agentId, page: found.page };
    const exportedAt = isoTime(runtime.now());
    return this.#lines(name, { type: "export", v: 1, exportedAt, conversation });
  }

  async *#lines(name: ConversationName, head: SealedExportLine): AsyncGenerator<string> {
    const hash = createHash("sha256");
    let lines = 0;
    const write = (line: SealedExportLine) => {
      const text = `${JSON.stringify(line)}\n`;
      hash.update(text);
      lines++;
      return text;
    };
    yield write(head);
    for await (const run of this.#runs(name)) yield write(run);
    yield `${JSON.stringify(this.#end(lines, hash.digest("base64url")))}\n`;
  }

  #end(lines: number, digest: string): SealedEndLine {
    const { signer, published } = this.#deps.signing;
    const keyId = signer.jwk.kid;
    const line = { type: "end" as const, lines, digest, keys: published, keyId };
    return { ...line, signature: base64url(signer.sign(exportText(line))) };
  }

  async *#runs(name: ConversationName): AsyncGenerator<SealedRunLine> {
    const { store } = this.#deps;
    let from: number | undefined = 0;
    while (from !== undefined) {
      const page: Awaited<ReturnType<ConversationStore["listRuns"]>> = await store
        .listRuns(name, { limit: PAGE_SIZE, from });
      const ids = page.runs.map(({ row }) => row.runId);
      const records = await store.readRunRecords(name.tenant, ids);
      for (const run of page.runs) yield await this.#toLine(run, records.get(run.row.runId));
      from = page.next;
    }
  }

  async #toLine(
    { row: { runId }, transcript }: RunWithTranscript,
    record: RunRecord | undefined,
  ): Promise<SealedRunLine> {
    const found = record && await this.#read(record);
    const seal = found && { seal: found.seal };
    if (transcript === "unreadable") return { type: "run", runId, ...seal };
    const answered = transcript.messages.find(({ claimed }) => !claimed);
    const { content = "", attachments } = answered ?? {};
    const question = { role: "user" as const, content, ...attachments && { attachments } };
    const frames = framesOf(transcript);
    return {
      type: "run",
      runId,
      ...answered && { question },
      ...frames && { frames: [...frames, ...found?.ends ?? []] },
      ...seal,
    };
  }
}

import type { Document, KnowledgeBase } from "@/lib/schemas/knowledge.ts";
import { expectJson } from "./expect_response.ts";
import { instantRuntime } from "./instant_runtime.ts";
import { TestService, type TestServiceOptions } from "./service.ts";
import { openTestKv } from "./open_kv.ts";

/** A service on an accessible store, with a key for its knowledge bases. */
export async function openKnowledge(options: TestServiceOptions = {}) {
  const kv = await openTestKv();
  const { runtime, advance } = instantRuntime();
  const service = await TestService.start({ runtime, kv, keepKv: true, ...options });
  const key = await service.key(["knowledge:write", "agents:write"]);
  const create = async (name = "Shop"): Promise<KnowledgeBase> =>
    await expectJson(
      await service.fetch("/v1/knowledge-bases", { method: "POST", key, json: { name } }),
      201,
    );
  const base = await create();
  const of = (path = "", id = base.id) => `/v1/knowledge-bases/${id}${path}`;
  const get = (path = "", id = base.id) => service.fetch(of(path, id), { key });
  const post = (json: unknown, headers: Record<string, string> = {}) =>
    service.fetch(of("/documents"), { method: "POST", key, json, headers });
  const remove = (path = "", id = base.id) =>
    service.fetch(of(path, id), { method: "DELETE", key });
  /** Uploads a file like a browser's form. */
  const upload = (name: string, content: Uint8Array<ArrayBuffer> | string, type = "") => {
    const body = new FormData();
    body.set("file", new File([content], name, { type }));
    return service.fetch(of("/documents"), { method: "POST", key, body });
  };
  /** The document, once it is processed. */
  const settled = async (answer: Response): Promise<Document> => {
    const { id } = await expectJson(answer, 201);
    await service.service.documents.whenIdle();
    return await expectJson(await get(`/documents/${id}`), 200);
  };
  return {
    ...{ kv, service, key, base, advance, create, of, get, post, remove, upload, settled },
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      kv.close();
    },
  };
}

import { ApiError } from "../schemas/api_error.ts";
import type {
  IdempotencyEntry,
  IdempotencyRecord,
  IdempotencyStore,
} from "../store/idempotency_store.ts";
import { type CommitStep, commitStep, retryUntilCommitted } from "../store/values/record.ts";
import { idempotencyScope, readIdempotencyKey, requestFingerprint } from "./idempotency_key.ts";
import type { Service } from "./service.ts";

interface IdempotentCreation<T> {
  /** Method and path, ids included: `POST /v1/agents`. Each route is a scope of its own. */
  route: string;
  apiKeyId: string;
  /** The parsed body. Reusing the key with another body is a 422. */
  request: unknown;
  /** Validates and creates the resource; passes `commit` to the store. */
  create: (options: { commit?: CommitStep<T> }) => Promise<T>;
  /** The 201 response; must be deterministic. */
  respond: (created: T) => { body: unknown; headers: Record<string, string> };
}

/**
 * Creates only once per `Idempotency-Key`. The response is recorded in the transaction that
 * creates, so neither a race nor a crash can separate them. A repeated request gets it with
 * `Idempotency-Replayed: true`, even if the resource was deleted; errors are not recorded. Call it
 * after authentication.
 */
export async function withIdempotency<T>(
  { req, state }: { req: Request; state: { service: Pick<Service, "idempotencyRecords"> } },
  creation: IdempotentCreation<T>,
): Promise<Response> {
  const key = readIdempotencyKey(req);
  if (key === undefined) return toResponse(recordOf(creation, await creation.create({})));
  const store = state.service.idempotencyRecords;
  const { route, apiKeyId } = creation;
  const scope = await idempotencyScope({ route, caller: ["key", apiKeyId], key });
  const fingerprint = await requestFingerprint(creation.request);
  return await retryUntilCommitted(async () => {
    const entry = await store.find(scope);
    if (entry.record !== undefined) return replay(entry.record, fingerprint);
    try {
      return await createWithRecord(creation, { store, entry, fingerprint });
    } catch (error) {
      // A concurrent request with the same key may have used up the quota: retry finds its record.
      const isFull = error instanceof ApiError && error.code === "quota_exceeded";
      if (isFull && (await store.find(scope)).record !== undefined) return undefined;
      throw error;
    }
  }, { what: "idempotency record" });
}

/** `undefined` when another request with the same key was first. */
async function createWithRecord<T>(
  creation: IdempotentCreation<T>,
  { store, entry, fingerprint }: {
    store: IdempotencyStore;
    entry: IdempotencyEntry;
    fingerprint: string;
  },
): Promise<Response | undefined> {
  const commit: CommitStep<T> = async (change, created) => {
    const { apiKeyId: apiKey } = creation;
    await store.add(change, entry, { apiKey, fingerprint, ...recordOf(creation, created) });
    if (await commitStep(change)) return true;
    // Returning false would make the resource's store retry with another id.
    throw new LostRaceError();
  };
  try {
    return toResponse(recordOf(creation, await creation.create({ commit })));
  } catch (error) {
    if (error instanceof LostRaceError) return undefined;
    throw error;
  }
}

class LostRaceError extends Error {
  override name = "LostRaceError";
}

type StoredResponse = Omit<IdempotencyRecord, "fingerprint">;

function recordOf<T>(creation: IdempotentCreation<T>, created: T): StoredResponse {
  const { body, headers } = creation.respond(created);
  return { status: 201, headers, body: JSON.stringify(body) };
}

function toResponse(
  { status, headers, body }: StoredResponse,
  more: Record<string, string> = {},
): Response {
  const all = { "content-type": "application/json", ...headers, ...more };
  return new Response(body, { status, headers: all });
}

function replay(record: IdempotencyRecord, fingerprint: string): Response {
  if (record.fingerprint === fingerprint) {
    return toResponse(record, { "idempotency-replayed": "true" });
  }
  const message = "this Idempotency-Key was used for another request; use a new one for each";
  throw new ApiError("idempotency_key_reused", message);
}

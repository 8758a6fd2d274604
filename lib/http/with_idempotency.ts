import { ApiError } from "../schemas/api_error.ts";
import type {
  IdempotencyEntry,
  IdempotencyRecord,
  IdempotencyStore,
} from "../store/idempotency_store.ts";
import { type CommitStep, commitStep, retryUntilCommitted } from "../store/values/record.ts";
import { idempotencyScope, readIdempotencyKey, requestFingerprint } from "./idempotency_key.ts";

/** What a creating request asks for, and how to do it. */
export interface IdempotentCreation<T> {
  /** Method and path with the ids in it, `POST /v1/agents`: another resource is another scope. */
  route: string;
  apiKeyId: string;
  /** The parsed JSON, or whatever else decides what is made: the same key with another one is 422. */
  request: unknown;
  /** Checks the request and makes the thing; hands `commit` on to the store that stores it. */
  create: (options: { commit?: CommitStep<T> }) => Promise<T>;
  /** The 201 for what was made; must answer the same for the same. */
  respond: (made: T) => { body: unknown; headers: Record<string, string> };
}

interface IdempotencyContext {
  req: Request;
  state: { service: { idempotencyRecords: IdempotencyStore } };
}

/**
 * Answers a creating POST, which under one `Idempotency-Key` creates once: the receipt of the answer
 * is stored in the step that creates, so neither a race nor a crash leaves one without the other. A
 * repeated request gets the first answer with `Idempotency-Replayed: true`, also when what it made
 * has gone since; refusals leave no receipt. Call it with the credential and its scope checked.
 */
export async function withIdempotency<T>(
  { req, state }: IdempotencyContext,
  creation: IdempotentCreation<T>,
): Promise<Response> {
  const key = readIdempotencyKey(req);
  if (key === undefined) return toResponse(responseOf(creation, await creation.create({})));
  const { idempotencyRecords } = state.service;
  const { route, apiKeyId } = creation;
  const scope = await idempotencyScope({ route, caller: ["key", apiKeyId], key });
  const fingerprint = await requestFingerprint(creation.request);
  return await retryUntilCommitted(async () => {
    const place = await idempotencyRecords.find(scope);
    if (place.record !== undefined) return replay(place.record, fingerprint);
    try {
      return await createWithRecord(creation, { idempotencyRecords, place, fingerprint });
    } catch (error) {
      // What was made meanwhile under the same key may be what took the last room.
      const isRefused = error instanceof ApiError && error.code === "quota_exceeded";
      if (isRefused && (await idempotencyRecords.find(scope)).record !== undefined) {
        return undefined;
      }
      throw error;
    }
  }, { what: "receipt" });
}

/** `undefined` when another request with the same key was first. */
async function createWithRecord<T>(
  creation: IdempotentCreation<T>,
  { idempotencyRecords, place, fingerprint }: {
    idempotencyRecords: IdempotencyStore;
    place: IdempotencyEntry;
    fingerprint: string;
  },
): Promise<Response | undefined> {
  const commit: CommitStep<T> = async (change, made) => {
    await idempotencyRecords.add(change, place, { fingerprint, ...responseOf(creation, made) });
    if (await commitStep(change)) return true;
    // Thrown through the store, which would take it for the loss of an id.
    throw new LostRaceError();
  };
  try {
    return toResponse(responseOf(creation, await creation.create({ commit })));
  } catch (error) {
    if (error instanceof LostRaceError) return undefined;
    throw error;
  }
}

class LostRaceError extends Error {
  override name = "LostRaceError";
}

type StoredResponse = Omit<IdempotencyRecord, "fingerprint">;

function responseOf<T>(creation: IdempotentCreation<T>, made: T): StoredResponse {
  const { body, headers } = creation.respond(made);
  return { status: 201, headers, body: JSON.stringify(body) };
}

function toResponse(
  { status, headers, body }: StoredResponse,
  more: Record<string, string> = {},
): Response {
  const all = { "content-type": "application/json", ...headers, ...more };
  return new Response(body, { status, headers: all });
}

function replay(receipt: IdempotencyRecord, fingerprint: string): Response {
  if (receipt.fingerprint === fingerprint) {
    return toResponse(receipt, { "idempotency-replayed": "true" });
  }
  const message = "this Idempotency-Key was used for another request; draw a new one for each";
  throw new ApiError("idempotency_key_reused", message);
}

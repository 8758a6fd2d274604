import type { ErrorEnvelope, ValidationIssue } from "../lib/schemas/error_codes.ts";
import type { ServiceAddress } from "./service_address.ts";

/** The service rejected a request, or could not be reached. */
export class ServiceError extends Error {
  override name = "ServiceError";
  /** What is wrong with a body; empty for other errors. */
  readonly issues: readonly ValidationIssue[];
  /** The code and details of the service; without one, it could not be reached. */
  readonly code: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(message: string, envelope?: Pick<ErrorEnvelope, "code" | "details">) {
    super(message);
    this.code = envelope?.code;
    this.details = envelope?.details ?? {};
    this.issues = (this.details.issues ?? []) as ValidationIssue[];
  }
}

type Page<T> = { data: T[]; nextCursor?: string };

interface ClientOptions {
  /** Waits until the request may be repeated. Without it, a 429 is an error like others. */
  onRateLimit?: (seconds: number) => Promise<void>;
}

interface RequestOptions {
  body?: string | FormData;
  headers?: Record<string, string>;
}

/** Calls /v1 of a service with an API key. Methods throw `ServiceError`. */
export class ServiceClient {
  readonly #address: ServiceAddress;
  readonly #options: ClientOptions;

  constructor(address: ServiceAddress, options: ClientOptions = {}) {
    this.#address = address;
    this.#options = options;
  }

  async json<T>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<T> {
    const type = { "content-type": "application/json" };
    const init = body === undefined
      ? { headers }
      : { body: JSON.stringify(body), headers: { ...headers, ...type } };
    const response = await this.request(method, path, init);
    const text = await response.text();
    return text === "" ? undefined as T : JSON.parse(text);
  }

  /** Everything of a list, page by page. */
  async readAll<T>(path: string): Promise<T[]> {
    const all: T[] = [];
    let cursor: string | undefined;
    do {
      const query = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      const page = await this.json<Page<T>>("GET", `${path}?limit=100${query}`);
      all.push(...page.data);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return all;
  }

  async request(
    method: string,
    path: string,
    { headers, ...init }: RequestOptions = {},
  ): Promise<Response> {
    const { url, apiKey } = this.#address;
    const authorization = `Bearer ${apiKey}`;
    for (;;) {
      let response: Response;
      try {
        response = await fetch(`${url}/v1${path}`, {
          ...{ ...init, method, headers: { ...headers, authorization } },
        });
      } catch (error) {
        throw new ServiceError(`cannot reach ${url}: ${causeOf(error)}`);
      }
      if (response.ok) return response;
      const seconds = Number(response.headers.get("retry-after"));
      const isLimited = response.status === 429 && seconds > 0 && seconds <= 120;
      if (!isLimited || this.#options.onRateLimit === undefined) {
        throw await toServiceError(response);
      }
      await response.body?.cancel();
      await this.#options.onRateLimit(seconds);
    }
  }
}

async function toServiceError(response: Response): Promise<ServiceError> {
  const text = await response.text();
  try {
    const envelope = JSON.parse(text) as ErrorEnvelope;
    if (typeof envelope.message === "string") {
      return new ServiceError(`${envelope.message} (${envelope.code})`, envelope);
    }
  } catch {
    // Not from the service.
  }
  return new ServiceError(`the service answered ${response.status}: ${text.slice(0, 200)}`);
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}

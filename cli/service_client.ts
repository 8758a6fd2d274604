import type { ErrorEnvelope, ValidationIssue } from "../lib/schemas/error_codes.ts";
import type { ServiceAddress } from "./evals_args.ts";

/** The service rejected a request, or could not be reached. */
export class ServiceError extends Error {
  override name = "ServiceError";
  /** What is wrong with a body; empty for other errors. */
  readonly issues: readonly ValidationIssue[];

  constructor(message: string, issues: readonly ValidationIssue[] = []) {
    super(message);
    this.issues = issues;
  }
}

/** Calls /v1 of a service with an API key. Methods throw `ServiceError`. */
export class ServiceClient {
  readonly #address: ServiceAddress;

  constructor(address: ServiceAddress) {
    this.#address = address;
  }

  async json<T>(method: string, path: string, body?: unknown): Promise<T> {
    const init = body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
    const response = await this.request(method, path, init);
    const text = await response.text();
    return text === "" ? undefined as T : JSON.parse(text);
  }

  async request(
    method: string,
    path: string,
    { headers, ...init }: { body?: string; headers?: Record<string, string> } = {},
  ): Promise<Response> {
    const { url, apiKey } = this.#address;
    const authorization = `Bearer ${apiKey}`;
    let response: Response;
    try {
      response = await fetch(`${url}/v1${path}`, {
        ...{ ...init, method, headers: { ...headers, authorization } },
      });
    } catch (error) {
      throw new ServiceError(`cannot reach ${url}: ${causeOf(error)}`);
    }
    if (response.ok) return response;
    throw await toServiceError(response);
  }
}

async function toServiceError(response: Response): Promise<ServiceError> {
  const text = await response.text();
  try {
    const { code, message, details } = JSON.parse(text) as ErrorEnvelope;
    if (typeof message === "string") {
      return new ServiceError(
        `${message} (${code})`,
        (details?.issues ?? []) as ValidationIssue[],
      );
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

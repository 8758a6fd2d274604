/**
 * The client disconnected while sending a body. This is not a server error: `toApiError` maps it to a
 * 400 that nobody reads, and it is logged once at debug level.
 */
export class ClientDisconnectError extends Error {
  override name = "ClientDisconnectError";

  constructor(options: ErrorOptions = {}) {
    super("the connection closed before the whole body was there", options);
  }
}

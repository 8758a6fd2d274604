/**
 * The client broke off while it was sending a body. Nobody is left to answer, and it is no fault of
 * ours: `toApiError` makes it a 400, and the log has one line at debug level.
 */
export class ClientDisconnectError extends Error {
  override name = "ClientDisconnectError";

  constructor(options: ErrorOptions = {}) {
    super("the connection closed before the whole body was there", options);
  }
}

/**
 * Stand-in for the part of `@std/http` that this project uses. See ../README.md.
 *
 * @module
 */
export * from "./cookie.ts";
export * from "./server_sent_event_parse_stream.ts";
export * from "./status.ts";

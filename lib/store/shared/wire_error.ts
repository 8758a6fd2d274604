import type { WireError } from "./store_messages.ts";

const BUILT_IN = { Error, TypeError, RangeError, SyntaxError, ReferenceError };

export function encodeWireError(error: unknown): WireError {
  if (error instanceof Error) return { name: error.name, message: error.message };
  return { name: "Error", message: String(error) };
}

/** An error of the same class and message, if the class is one of JavaScript's or of Deno's. */
export function decodeWireError({ name, message }: WireError): Error {
  for (const classes of [BUILT_IN, Deno.errors]) {
    if (!Object.hasOwn(classes, name)) continue;
    const ErrorClass = classes[name as keyof typeof classes] as ErrorConstructor;
    return new ErrorClass(message);
  }
  return Object.assign(new Error(message), { name });
}

/** The major version in the file name `widget.v1.js`. */
export const SCRIPT_VERSION = "v1";

/** A browser script with the values that pages reference it by. */
export interface ScriptBundle {
  readonly version: string;
  /** Subresource-integrity value for the script tag: `sha384-` and base64. */
  readonly integrity: string;
  /** Length of `body` in bytes. */
  readonly bytes: number;
  /** First 12 hex digits of the same digest, for the immutable file name. */
  readonly hash12: string;
  readonly body: Uint8Array<ArrayBuffer>;
  /** Its gzip, if the build has made one. */
  readonly gzip?: Uint8Array<ArrayBuffer>;
}

/** The immutable path of a script, or of the texts of the widget's extras. */
export function pinnedPath(name: string, { version, hash12 }: ScriptBundle): string {
  return `/${name}.${version}.${hash12}.${name === "widget-texts" ? "json" : "js"}`;
}

/** Describes a built script. Copies `body`, so that a later write cannot invalidate its hash. */
export async function describeScript(
  body: Uint8Array,
  gzip?: Uint8Array<ArrayBuffer>,
): Promise<ScriptBundle> {
  const copy = new Uint8Array(body);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-384", copy));
  return Object.freeze({
    version: SCRIPT_VERSION,
    integrity: `sha384-${digest.toBase64()}`,
    bytes: copy.byteLength,
    hash12: digest.toHex().slice(0, 12),
    body: copy,
    ...gzip && { gzip },
  });
}

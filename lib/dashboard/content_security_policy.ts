/** 122 random bits. */
export function newNonce(): string {
  return crypto.randomUUID().replaceAll("-", "");
}

/**
 * `'strict-dynamic'` lets the script with the nonce import the islands. No page turns text into
 * markup, so no Trusted Types policy is allowed.
 */
export function contentSecurityPolicy(
  { scriptNonce, styleNonce, https, framesOwnPages, formTargets = [] }: {
    /** Of the inline script that starts the islands; without it no script runs. */
    scriptNonce: string | undefined;
    styleNonce: string;
    /** Whether `PUBLIC_URL` is https. */
    https: boolean;
    /** The page shows another page of this service in a frame. */
    framesOwnPages: boolean;
    /** Sources to which a form's answer may redirect; browsers check each like the form's address. */
    formTargets?: readonly string[] | undefined;
  },
): string {
  const scripts = scriptNonce === undefined ? "'none'" : `'nonce-${scriptNonce}' 'strict-dynamic'`;
  const directives = [
    "default-src 'none'",
    `script-src ${scripts}`,
    `style-src 'nonce-${styleNonce}'`,
    "img-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    ["form-action 'self'", ...formTargets].join(" "),
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
  if (framesOwnPages) directives.push("frame-src 'self'");
  // On plain http this would send every form and script to a missing https port.
  if (https) directives.push("upgrade-insecure-requests");
  return directives.join("; ");
}

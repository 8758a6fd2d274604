/** Loads another file of the widget, which the build has named and hashed. */
import { page, takeOffer } from "./file_exports.ts";

/** Then the visitor can try again; a file that arrives later is not lost. */
const PATIENCE_MS = 20_000;

/** The page's one policy: a second one of the same name is rejected. */
const POLICY = Symbol.for("agent-chat.service-widget-policy");
/** All that the policy permits, to any caller. */
const FILE_URL = /\/widget-\w+\.v1\.[0-9a-f]{12}\.js(\?\d+)?$/;

interface Policy {
  createScriptURL(url: string): string;
}

const { trustedTypes } = page as {
  trustedTypes?: { createPolicy(name: string, rules: Policy): Policy };
};

export interface FileRequest<T> {
  readonly name: string;
  readonly integrity: string;
  /** Zero at first: a retry must not get a broken file from a cache. */
  readonly attempt: number;
  /** Receives what the file offers. */
  readonly loaded: (start: T) => void;
  /** For the network, the page's policy, or other content. */
  readonly failed: (url: string) => void;
}

/** Calls one of the two functions; after the patience is over, perhaps both. */
export type LoadFile = <T>(request: FileRequest<T>) => void;

/** `base` is a file in the same folder. A page's policy may require the nonce of the launcher's tag. */
export function createFileLoader(base: string, nonce: string): LoadFile {
  return ({ name, integrity, attempt, loaded, failed }) => {
    const url = new URL(name + (attempt ? `?${attempt}` : ""), base).href;
    const fail = () => failed(url);
    const run = () => loaded(takeOffer(name));
    let onload = run;
    let element: HTMLElement = document.createElement("script");
    try {
      (element as HTMLScriptElement).src = trusted(url);
    } catch {
      // The page's policy lists other names. A module's address needs none, and is checked as well.
      element = document.createElement("link");
      Object.assign(element, { rel: "modulepreload", href: url });
      onload = () => import(url).then(run, fail);
    }
    const timer = setTimeout(fail, PATIENCE_MS);
    const done = (then: () => void) => () => {
      clearTimeout(timer);
      element.remove();
      then();
    };
    Object.assign(element, {
      nonce,
      integrity,
      crossOrigin: "",
      onload: done(onload),
      onerror: done(fail),
    });
    document.head.append(element);
  };
}

function trusted(url: string): string {
  if (!trustedTypes) return url;
  const policy = page[POLICY] ??= trustedTypes.createPolicy("service-widget", {
    createScriptURL: (url) => FILE_URL.test(url) ? url : "",
  });
  return (policy as Policy).createScriptURL(url);
}

/** The widget's script tag on the page: added, changed in place, and removed with its widget. */
import type { ChatWidgetProps, WidgetEvents, WidgetHandle } from "./mod.d.ts";

interface WidgetScript extends HTMLScriptElement {
  serviceWidget?: WidgetHandle;
}

export interface WidgetScriptOptions {
  readonly props: ChatWidgetProps;
  /** The newest props, for their listeners. */
  readonly latest: () => ChatWidgetProps;
}

export interface PlacedScript {
  /** Changes the attributes that the widget reads again. */
  update(props: ChatWidgetProps): void;
  remove(): void;
}

const MARKER = "data-service-widget";

/** The props that are attributes, `data-` and in kebab case; lists have a separator. */
export const ATTRIBUTES = [
  "apiBase",
  "agentId",
  "sessionEndpoint",
  "sessionToken",
  "theme",
  "accent",
  "position",
  "feedback",
  "history",
  "voice",
  "sound",
  "wide",
  "limits",
  "title",
  "greeting",
  "suggestions",
  "lang",
  "launcher",
  "avatar",
  "logo",
  "privacyText",
  "privacyUrl",
  "layout",
  "open",
  "imageOrigins",
  "offers",
  "bind",
] as const satisfies readonly (keyof ChatWidgetProps)[];

const SEPARATORS: Record<string, string> = { suggestions: "|", offers: "|", imageOrigins: " " };

const LISTENERS: {
  readonly [K in keyof WidgetEvents]?: (
    props: ChatWidgetProps,
  ) => ((detail: WidgetEvents[K]) => void) | undefined;
} = {
  open: ({ onOpen }) => onOpen,
  close: ({ onClose }) => onClose,
  message: ({ onMessage }) => onMessage,
  start: ({ onStart }) => onStart,
  answer: ({ onAnswer }) => onAnswer,
  error: ({ onError }) => onError,
  "session-expired": ({ onSessionExpired }) => onSessionExpired,
};

/** How many components show each widget: a second one for the same agent gets the first's handle. */
const users = new WeakMap<WidgetHandle, number>();

/** Adds the tag to the page's head. */
export function placeScript({ props, latest }: WidgetScriptOptions): PlacedScript {
  const script: WidgetScript = document.createElement("script");
  const { apiBase, src = `${apiBase.replace(/\/+$/, "")}/widget.v1.js`, integrity, nonce } = props;
  script.src = src;
  script.crossOrigin = "anonymous";
  if (integrity) script.integrity = integrity;
  if (nonce) script.nonce = nonce;
  setAttributes(script, props);
  let leave: (() => void) | undefined;
  script.addEventListener("load", () => {
    const handle = script.serviceWidget;
    if (!script.hasAttribute(MARKER) || !handle) return;
    leave = listenTo(handle, latest);
    latest().onReady?.(handle);
  });
  script.addEventListener("error", () => script.hasAttribute(MARKER) && latest().onLoadError?.());
  document.head.append(script);
  return {
    update(changed) {
      const { sessionToken } = changed;
      const isNewToken = sessionToken && script.getAttribute("data-session-token") !== sessionToken;
      setAttributes(script, changed);
      if (isNewToken) script.serviceWidget?.setSessionToken(sessionToken);
      // It reads all attributes again.
      script.serviceWidget?.setLocale("");
    },
    remove() {
      // A script that is still loading runs although its tag is gone; unmarked, it starts no widget.
      script.removeAttribute(MARKER);
      script.remove();
      leave?.();
    },
  };
}

function setAttributes(script: HTMLScriptElement, props: ChatWidgetProps): void {
  script.setAttribute(MARKER, "");
  for (const prop of ATTRIBUTES) {
    const name = `data-${prop.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    const value = props[prop];
    if (value === undefined || value === false) script.removeAttribute(name);
    else script.setAttribute(name, value === true ? "" : textOf(value, prop));
  }
}

function textOf(value: string | readonly string[], prop: string): string {
  return typeof value === "string" ? value : value.join(SEPARATORS[prop]);
}

/** Listens to the widget. Returns the function that ends that, and the widget with its last user. */
function listenTo(handle: WidgetHandle, latest: () => ChatWidgetProps): () => void {
  users.set(handle, (users.get(handle) ?? 0) + 1);
  const ends = (Object.keys(LISTENERS) as (keyof WidgetEvents)[]).map((name) =>
    handle.on(name, (detail) => LISTENERS[name]!(latest())?.(detail as never))
  );
  return () => {
    for (const end of ends) end();
    const left = users.get(handle)! - 1;
    users.set(handle, left);
    if (left === 0) handle.destroy();
  };
}

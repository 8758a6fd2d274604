/** Finds the script tag that loaded the widget. */
import type { WidgetHandle } from "./handle.ts";

export interface WidgetScript extends HTMLScriptElement {
  serviceWidget?: WidgetHandle;
}

export const MARKER_ATTRIBUTE = "data-service-widget";

/**
 * The running script. A loader may run the code later, when `currentScript` is null: then the first
 * marked tag without a widget. A tag without the marker starts no widget.
 */
export function findScript(current: HTMLOrSVGScriptElement | null): WidgetScript | undefined {
  if (current instanceof HTMLScriptElement) {
    return current.hasAttribute(MARKER_ATTRIBUTE) ? current : undefined;
  }
  const marked = document.querySelectorAll<WidgetScript>(`script[${MARKER_ATTRIBUTE}]`);
  return [...marked].find((script) => !script.serviceWidget);
}

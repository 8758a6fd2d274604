import { useEffect, useRef } from "react";
import type { ChatWidgetProps } from "./mod.d.ts";
import { ATTRIBUTES, type PlacedScript, placeScript } from "./widget_script.ts";

/** Documented in mod.d.ts. */
export function ChatWidget(props: ChatWidgetProps): null {
  const latest = useRef(props);
  const placed = useRef<PlacedScript | undefined>(undefined);
  useEffect(() => {
    latest.current = props;
  });
  const { apiBase, agentId, sessionEndpoint, layout, src, integrity, nonce } = props;
  // These make another widget; its tag has the other attributes from the start.
  useEffect(() => {
    const script = placeScript({ props: latest.current, latest: () => latest.current });
    placed.current = script;
    return () => {
      placed.current = undefined;
      script.remove();
    };
  }, [apiBase, agentId, sessionEndpoint, layout, src, integrity, nonce]);
  const attributes = JSON.stringify(ATTRIBUTES.map((name) => props[name] ?? null));
  const drawn = useRef(attributes);
  useEffect(() => {
    if (drawn.current === attributes) return;
    drawn.current = attributes;
    placed.current?.update(latest.current);
  }, [attributes]);
  return null;
}

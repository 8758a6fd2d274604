import { useEffect, useState } from "preact/hooks";

export interface CopyButtonProps {
  text: string;
  /** What is copied, for screen readers: "Copy agent ID". */
  what: string;
}

/** Copies a text. Hidden without scripts. */
export default function CopyButton({ text, what }: CopyButtonProps) {
  const [ready, setReady] = useState(false);
  const [state, setState] = useState<"idle" | "copied" | "failed">("idle");
  useEffect(() => setReady(true), []);
  useEffect(() => {
    if (state === "idle") return;
    const timer = setTimeout(() => setState("idle"), 2000);
    return () => clearTimeout(timer);
  }, [state]);

  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      setState("copied");
    } catch {
      setState("failed"); // Pages on plain http have no clipboard.
    }
  }
  const label = { idle: "Copy", copied: "Copied", failed: "Select and copy" }[state];
  return (
    <span class="copy" hidden={!ready}>
      <button type="button" class="button button-small" onClick={copy} aria-label={`Copy ${what}`}>
        {label}
      </button>
      <span class="sr-only" role="status">{state === "copied" ? `Copied ${what}` : ""}</span>
    </span>
  );
}

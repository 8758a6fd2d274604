import { useEffect, useState } from "preact/hooks";
import { t } from "@/lib/dashboard/texts/translate.ts";

export interface CopyButtonProps {
  text: string;
  /** What is copied, for screen readers: "Copy agent ID". */
  what: string;
  /** Label of a button whose text is not shown beside it. */
  label?: string;
}

/** Copies a text. Hidden without scripts. */
export default function CopyButton({ text, what, label }: CopyButtonProps) {
  const [ready, setReady] = useState(false);
  const [state, setState] = useState<"idle" | "copied" | "failed">("idle");
  useEffect(() => setReady(true), []);
  useEffect(() => {
    // A text that only the failed button shows stays to be selected.
    if (state === "idle" || (state === "failed" && label !== undefined)) return;
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
  const shown =
    { idle: label ?? t("Copy"), copied: t("Copied"), failed: t("Select and copy") }[state];
  return (
    <span class="copy" hidden={!ready}>
      {state === "failed" && label !== undefined && <code>{text}</code>}
      <button
        type="button"
        class={label === undefined ? "button button-small" : "button"}
        onClick={copy}
        aria-label={label === undefined ? t("Copy {what}", { what }) : undefined}
      >
        {shown}
      </button>
      <span class="sr-only" role="status">
        {state === "copied" ? t("Copied {what}", { what }) : ""}
      </span>
    </span>
  );
}

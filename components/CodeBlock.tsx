import CopyButton from "@/islands/CopyButton.tsx";

/** A text to copy, with what it is in its caption. */
export function CodeBlock({ label, code }: { label: string; code: string }) {
  return (
    <figure class="code">
      <figcaption>
        {label}
        <CopyButton text={code} what={label} />
      </figcaption>
      <pre tabIndex={0} aria-label={label}><code>{code}</code></pre>
    </figure>
  );
}

import CopyButton from "@/islands/CopyButton.tsx";

/** A captioned text to copy. Long lines scroll unless `wrapped`. */
export function CodeBlock(
  { label, code, wrapped }: { label: string; code: string; wrapped?: boolean },
) {
  return (
    <figure class={wrapped ? "code code-wrapped" : "code"}>
      <figcaption>
        {label}
        <CopyButton text={code} what={label} />
      </figcaption>
      <pre tabIndex={0} aria-label={label}><code>{code}</code></pre>
    </figure>
  );
}

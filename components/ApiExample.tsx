import { ApiInlineText } from "./ApiProse.tsx";

/** A literal text under its name; long lines scroll. */
export function ApiExample(
  { label, note, text }: { label: string; note?: string | undefined; text: string },
) {
  return (
    <figure class="example">
      <figcaption>
        <strong>{label}</strong>
        {note && <ApiInlineText text={` ${note}`} />}
      </figcaption>
      <pre tabIndex={0} aria-label={label}><code>{text}</code></pre>
    </figure>
  );
}

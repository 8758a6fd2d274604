/** Paragraphs with `code spans`, the only Markdown in API descriptions. */
export function ApiProse({ text }: { text: string }) {
  return (
    <>
      {text.split("\n\n").map((paragraph) => (
        <p>
          <ApiInlineText text={paragraph} />
        </p>
      ))}
    </>
  );
}

/** Inline version of `ApiProse`. */
export function ApiInlineText({ text }: { text: string }) {
  return <>{text.split("`").map((part, i) => i % 2 === 1 ? <code key={i}>{part}</code> : part)}</>;
}

/** Paragraphs whose `code spans` are marked, which is all of CommonMark that our texts use. */
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

/** As `ApiProse`, within a line. */
export function ApiInlineText({ text }: { text: string }) {
  return <>{text.split("`").map((part, i) => i % 2 === 1 ? <code key={i}>{part}</code> : part)}</>;
}

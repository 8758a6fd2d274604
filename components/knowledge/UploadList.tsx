import type { Upload } from "../../lib/dashboard/browser/upload_files.ts";

/** Files on their way, and those that did not arrive. */
export function UploadList({ sending }: { sending: readonly Upload[] }) {
  if (sending.length === 0) return null;
  return (
    <ul class="rows sending" aria-label="Files being sent">
      {sending.map(({ id, name, share, fault }) => (
        <li key={id} class="row">
          <div class="row-main">
            <p class="row-name">
              <bdi>{name}</bdi>
            </p>
            {fault !== undefined && <p class="fault" role="alert">{fault}</p>}
          </div>
          {fault === undefined && (
            <progress value={share} aria-label={`Sending ${name}`}>
              {Math.round(share * 100)} %
            </progress>
          )}
        </li>
      ))}
    </ul>
  );
}

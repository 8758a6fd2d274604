import type { Upload } from "../../lib/dashboard/browser/upload_files.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** Uploads in progress and failed ones. */
export function UploadList({ uploads }: { uploads: readonly Upload[] }) {
  if (uploads.length === 0) return null;
  return (
    <ul class="rows sending" aria-label={t("Uploads")}>
      {uploads.map(({ id, name, share, error }) => (
        <li key={id} class="row">
          <div class="row-main">
            <p class="row-name">
              <bdi>{name}</bdi>
            </p>
            {error !== undefined && <p class="field-error" role="alert">{error}</p>}
          </div>
          {error === undefined && (
            <progress value={share} aria-label={t("Uploading {name}", { name })}>
              {Math.round(share * 100)} %
            </progress>
          )}
        </li>
      ))}
    </ul>
  );
}

import { PROVIDER_PRESETS } from "@/lib/schemas/provider_presets.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** The providers by name, each leading to its form. */
export function ProviderGrid() {
  return (
    <ul class="provider-grid">
      {PROVIDER_PRESETS.map(({ id, name, keyUrl, baseUrlHint }) => (
        <li key={id}>
          <a class="provider-card" href={`/operator/providers/connect/${id}`} aria-current="false">
            <span class="provider-mark" aria-hidden="true">{name[0]}</span>
            <span>
              <strong>{name}</strong>
              <span class="help">
                {keyUrl === undefined && baseUrlHint === undefined
                  ? t("On your own machine")
                  : baseUrlHint === undefined
                  ? t("API key")
                  : t("Address and API key")}
              </span>
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}

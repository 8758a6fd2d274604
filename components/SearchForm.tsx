import { t } from "@/lib/dashboard/texts/translate.ts";
/** Searches the page's list; works without scripts. */
export function SearchForm({ query, label }: { query: string; label: string }) {
  return (
    <form method="get" class="search" role="search">
      <label class="sr-only" for="q">{label}</label>
      <input
        type="search"
        id="q"
        name="q"
        value={query}
        placeholder={label}
        maxLength={200}
        autocomplete="off"
      />
      <button class="button" type="submit">{t("Search")}</button>
    </form>
  );
}

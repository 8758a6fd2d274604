import type { Languages } from "../../locales.ts";

/** The texts around attached files. Short and calm; strings in the order of attachments_ids.ts. */
export const ATTACHMENT_TEXTS: Languages = {
  en:
    "Attach a file|Take a photo|Uploading…|Attached|Remove|This file cannot be attached.|Larger than 10 MB.|No more files.|Drop files here|Sent after the upload.",
  nl:
    "Bestand bijvoegen|Foto maken|Uploaden…|Bijgevoegd|Verwijderen|Dit bestand kan niet worden bijgevoegd.|Groter dan 10 MB.|Meer bestanden kan niet.|Zet bestanden hier neer|Wordt na het uploaden verzonden.",
  de:
    "Datei anhängen|Foto aufnehmen|Wird hochgeladen…|Angehängt|Entfernen|Diese Datei kann nicht angehängt werden.|Größer als 10 MB.|Mehr Dateien sind nicht möglich.|Dateien hier ablegen|Wird nach dem Hochladen gesendet.",
  fr:
    "Joindre un fichier|Prendre une photo|Envoi en cours…|Joint|Retirer|Ce fichier ne peut pas être joint.|Plus de 10 Mo.|Aucun autre fichier possible.|Déposez les fichiers ici|Le message partira après l’envoi du fichier.",
  es:
    "Adjuntar un archivo|Hacer una foto|Subiendo…|Adjuntado|Quitar|No se puede adjuntar este archivo.|Supera los 10 MB.|No se admiten más archivos.|Suelte los archivos aquí|Se enviará tras la subida.",
  pt:
    "Anexar um arquivo|Tirar uma foto|Enviando…|Anexado|Remover|Não é possível anexar este arquivo.|Maior que 10 MB.|Não é possível anexar mais.|Solte os arquivos aqui|Será enviada após o arquivo.",
  it:
    "Allega un file|Scatta una foto|Caricamento…|Allegato|Rimuovi|Impossibile allegare questo file.|Supera i 10 MB.|Non sono ammessi altri file.|Rilascia qui i file|Invio dopo il caricamento.",
  pl:
    "Załącz plik|Zrób zdjęcie|Przesyłanie…|Załączono|Usuń|Nie można załączyć tego pliku.|Ponad 10 MB.|Nie można dodać więcej plików.|Upuść pliki tutaj|Wyślemy po przesłaniu pliku.",
  tr:
    "Dosya ekle|Fotoğraf çek|Yükleniyor…|Eklendi|Kaldır|Bu dosya eklenemiyor.|10 MB’tan büyük.|Daha fazla dosya eklenemez.|Dosyaları buraya bırakın|Yükleme bitince gönderilecek.",
  ja:
    "ファイルを添付|写真を撮る|送信中…|添付済み|削除|添付できません。|10 MBを超えています。|これ以上添付できません。|ここにドロップ|完了後に送信します。",
  zh:
    "添加附件|拍照|正在上传…|已添加|移除|无法添加此文件。|超过 10 MB。|无法添加更多文件。|将文件拖放到此处|上传完成后发送。",
  ar:
    "إرفاق ملف|التقاط صورة|جارٍ الرفع…|تم الإرفاق|إزالة|لا يمكن إرفاق هذا الملف.|أكبر من 10 ميغابايت.|لا يمكن إرفاق المزيد.|أفلت الملفات هنا|سيتم الإرسال بعد الرفع.",
};

/** A cell that begins like this is a formula for spreadsheets, and people choose their names. */
const formula = /^[=+\-@\t\r]/;

/**
 * Rows as comma-separated values (RFC 4180).
 * @param {readonly (readonly (string | number)[])[]} rows
 */
export function csv(rows) {
  const cell = (/** @type {string | number} */ value) => {
    if (typeof value === 'number') return String(value);
    const text = formula.test(value) ? `'${value}` : value;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map(row => `${row.map(cell).join(',')}\r\n`).join('');
}

/**
 * Hands a file to the browser.
 * @param {string} name
 * @param {string} text
 */
export function download(name, text) {
  // Spreadsheets take UTF-8 for what it is if it begins with its mark.
  const url = URL.createObjectURL(new Blob(['\ufeff', text], { type: 'text/csv' }));
  const link = document.createElement('a');
  Object.assign(link, { href: url, download: name });
  link.click();
  // Browsers read it a moment later.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

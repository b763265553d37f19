/* The zone of this device: what a new account begins with, and what lists of zones offer. */

const here = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
const hidden = document.querySelector("input[type=hidden][name=time_zone]");
if (hidden) hidden.value = here;
for (const list of document.querySelectorAll("select[data-device]")) offer(list);

function offer(list) {
  const option = [...list.options].find((each) => each.value === here) ?? [...list.options].find(isHere);
  if (!option || option.selected) return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "btn";
  button.textContent = list.dataset.device.replace("%(zone)s", option.text);
  button.addEventListener("click", () => {
    option.selected = true;
    list.dispatchEvent(new Event("change", { bubbles: true }));
    button.remove();
    list.focus();
  });
  list.after(button);
}

/* Browsers name some zones as they were called before, Asia/Calcutta for one; they know that both are the same. */
function isHere({ value }) {
  try {
    return here !== "" && new Intl.DateTimeFormat("en", { timeZone: value || "-" }).resolvedOptions().timeZone === here;
  } catch {
    return false;
  }
}

/* A new account reads times in the zone of its browser, until it chooses another. */

document.querySelector("[name=time_zone]").value = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";

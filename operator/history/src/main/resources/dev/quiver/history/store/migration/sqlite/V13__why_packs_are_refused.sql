-- Why a pack of the run found no room, for people; null while all of them did.
ALTER TABLE runs ADD COLUMN packs_refused TEXT;

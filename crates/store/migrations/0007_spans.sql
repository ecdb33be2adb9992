-- A place may lead to several appends of its run, one after the other: `last_seq` is that of the last, `first_id`
-- the id of the first, and `later` has the ids after it, each as its distance from the one before. The column has
-- a new name, so that an older program that has the file open fails instead of reading only a part.
ALTER TABLE places RENAME COLUMN id TO first_id;
ALTER TABLE places ADD COLUMN later BLOB;

// The files of the inspector.
&[]

# host/faces

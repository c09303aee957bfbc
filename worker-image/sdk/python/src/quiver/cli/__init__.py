"""`kubectl quiver`: sees and steers runs from a shell. The standard library is enough, and kubectl reads the kubeconfig."""
